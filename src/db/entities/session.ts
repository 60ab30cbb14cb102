/** Interface 11: a session by its user. It follows the records of its family by triggers (see the migration). */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'sessions' })
@Index({ name: 'sessions_user_id', properties: ['userId', 'startedAt'] })
export class Session {
  @PrimaryKey({ type: 'uuid' }) familyId!: string;
  @Property({ type: 'uuid' }) userId!: string;
  @Property({ type: 'timestamptz', length: 6 }) startedAt!: Date;
}
