/** An event that its cursor alone does not describe: parked after a failure, or sent but not yet settled. (Interface 17) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'outbox_events' })
@Index({ name: 'outbox_events_order', properties: ['cursorId', 'writtenAt', 'eventId'] })
export class OutboxEvent {
  @PrimaryKey({ type: 'uuid' }) cursorId!: string;
  @PrimaryKey({ type: 'uuid' }) eventId!: string;
  /** Of the audit event */
  @Property({ type: 'timestamptz', length: 6 }) writtenAt!: Date;
  /** When it is tried again; null: it was sent */
  @Property({ type: 'timestamptz', length: 6, nullable: true }) dueAt!: Date | null;
  @Property({ type: 'integer' }) attempts!: number;
}
