/** The stored audit event. `audit/events.ts` has the metadata of each type. (Spec 6) */
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'audit_events' })
export class AuditEvent {
  @PrimaryKey({ type: 'uuid', defaultRaw: 'gen_random_uuid()' }) id!: string;
  @Property({ type: 'text' }) eventType!: string;
  @Property({ type: 'text', default: 'user' }) entityType!: string;
  @Property({ type: 'uuid', nullable: true }) userId!: string | null;
  @Property({ type: 'text' }) ipAddress!: string;
  @Property({ type: 'text', nullable: true }) userAgent!: string | null;
  @Property({ type: 'jsonb' }) metadata!: Record<string, unknown>;
  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' }) createdAt!: Date;
  /** When the database wrote it, by its own clock */
  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'clock_timestamp()' }) writtenAt!: Date;
}
