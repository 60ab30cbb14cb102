/** The user record. (Spec 2.5) */
import { Check, Entity, Formula, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { Role } from '../../domain/roles.js';

@Entity({ tableName: 'users' })
@Index({ name: 'users_created_at', properties: ['createdAt', 'id'] })
@Index({ name: 'users_is_active', properties: ['isActive', 'email'] })
@Index({ name: 'users_locked', properties: ['email'], where: 'locked_until is not null' })
@Index({ name: 'users_role', properties: ['role', 'email'] })
@Index({ name: 'users_without_password', properties: ['email'], where: 'password_hash is null' })
@Check({ name: 'users_email_lower_case', expression: 'email = lower(email) and char_length(email) <= 254' })
@Check({ name: 'users_role_known', expression: `role in ('viewer', 'analyst', 'admin')` })
@Check({ name: 'users_failed_login_attempts_not_negative', expression: 'failed_login_attempts >= 0' })
export class User {
  @PrimaryKey({ type: 'uuid', defaultRaw: 'gen_random_uuid()' }) id!: string;
  @Property({ type: 'text', unique: 'users_email_unique' }) email!: string;
  /** Null: the user has no password yet. Lazy, so that listings do not load it. */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) passwordHash!: string | null;
  @Formula<User>((columns) => `(${columns.passwordHash} is not null)`, { type: 'boolean' }) hasPassword!: boolean;
  /** Number of password changes: a login that verified an older password is void. */
  @Property({ type: 'integer', default: 0 }) passwordVersion!: number;
  /** False if an operator set the password */
  @Property({ type: 'boolean', default: false }) passwordChosenByUser!: boolean;
  @Property({ type: 'text' }) role!: Role;
  /** Interface 20: whether a login needs a second step. Each change of `factors` keeps it true, under the lock of this row */
  @Property({ type: 'boolean', default: false }) hasFactors!: boolean;
  @Property({ type: 'boolean', default: true }) isActive!: boolean;
  @Property({ type: 'integer', default: 0 }) failedLoginAttempts!: number;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) lockedUntil!: Date | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) lastLoginAt!: Date | null;
  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' }) createdAt!: Date;
}
