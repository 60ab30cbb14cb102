/**
 * A session, found by its user. Triggers on the records of the family keep it up to date (see the migration).
 * (Interface 11)
 */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'sessions' })
@Index({ name: 'sessions_user_id', properties: ['userId', 'startedAt'] })
export class Session {
  @PrimaryKey({ type: 'uuid' }) familyId!: string;
  @Property({ type: 'uuid' }) userId!: string;
  @Property({ type: 'timestamptz', length: 6 }) startedAt!: Date;
}
