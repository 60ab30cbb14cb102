/** A device that a user has logged in from. It counts its own failed logins. (Interface 16) */
import { Check, Entity, Index, PrimaryKey, Property, Trigger } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'known_devices' })
@Index({ name: 'known_devices_user_id', properties: ['userId', 'lastUsedAt'] })
@Index({ name: 'known_devices_last_used_at', properties: ['lastUsedAt'] })
@Trigger({ name: 'limit_devices', timing: 'after', events: ['insert'], expression: '-- of its migration' })
@Check({ name: 'known_devices_user_agent_length', expression: 'char_length(user_agent) <= 512' })
@Check({ name: 'known_devices_failed_login_attempts_not_negative', expression: 'failed_login_attempts >= 0' })
export class KnownDevice {
  @PrimaryKey({ type: 'uuid' }) id!: string;
  @Property({ type: 'uuid' }) userId!: string;
  /** Of the secret in the cookie `device` */
  @Property({ columnType: 'bytea', unique: 'known_devices_secret_sha256_unique' }) secretSha256!: Uint8Array;
  @Property({ type: 'integer', default: 0 }) failedLoginAttempts!: number;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) lockedUntil!: Date | null;
  /** First 512 characters, of the last login */
  @Property({ type: 'text' }) userAgent!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt!: Date;
  @Property({ type: 'timestamptz', length: 6 }) lastUsedAt!: Date;
}
