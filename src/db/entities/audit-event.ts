/** The stored audit event. `audit/events.ts` has the metadata of each type. (Spec 6) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'audit_events' })
@Index({ name: 'audit_events_event_type', properties: ['eventType', 'createdAt', 'id'] })
@Index({ name: 'audit_events_ip_address', properties: ['ipAddress', 'createdAt', 'id'] })
@Index({ name: 'audit_events_newest', properties: ['createdAt', 'id'], include: ['eventType'] })
@Index({ name: 'audit_events_user_id', properties: ['userId', 'createdAt', 'id'] })
@Index({ name: 'audit_events_written', properties: ['writtenAt', 'id'] })
// The SQL of an expression stands only in its migration: MikroORM compares no more than the name.
@Index({ name: 'audit_events_actor', expression: '-- of its migration' })
@Index({ name: 'audit_events_email', expression: '-- of its migration' })
@Index({ name: 'audit_events_entity', expression: '-- of its migration' })
@Index({ name: 'audit_events_session', expression: '-- of its migration' })
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
