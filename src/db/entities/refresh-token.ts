/** The refresh-token record. No foreign key to users: Spec 4.2 step 9 needs the record of a deleted user. (Spec 2.6) */
import { Check, Entity, Index, PrimaryKey, Property, Trigger } from '@mikro-orm/decorators/legacy';
import type { AuthenticationMethod } from '../../domain/assurance.js';

/** Why a record is revoked, for operators. The specification only has the flag. */
export type RevokedReason =
  | 'rotated'
  | 'logout'
  | 'token_theft'
  | 'session_revoked'
  | 'user_deactivated'
  | 'user_password_set'
  | 'factors_reset'
  | 'email_change_undone'
  | 'user_deleted';

/** What ends a session other than a used token. */
export type EndedBy = Exclude<RevokedReason, 'rotated' | 'token_theft'>;

// No index or predicate uses a column that a rotation sets, so that it updates in place (HOT). Each index costs a rotation
// a new entry: the sweeper finds what has expired in the order of the key.
@Entity({ tableName: 'refresh_tokens' })
@Index({ name: 'refresh_tokens_family_id', properties: ['familyId', 'createdAt'] })
@Trigger({ name: 'begin_session', timing: 'after', events: ['insert'], expression: '-- of its migration' })
@Trigger({ name: 'forget_session', timing: 'after', events: ['delete'], expression: '-- of its migration' })
@Check({ name: 'refresh_tokens_user_agent_length', expression: 'char_length(user_agent) <= 512' })
export class RefreshToken {
  @PrimaryKey({ type: 'uuid' }) jti!: string;
  @Property({ type: 'uuid' }) userId!: string;
  @Property({ type: 'uuid' }) familyId!: string;
  @Property({ type: 'boolean', default: false }) revoked!: boolean;
  @Property({ type: 'text', nullable: true }) revokedReason!: RevokedReason | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) revokedAt!: Date | null;
  @Property({ type: 'text' }) userAgent!: string;
  @Property({ type: 'text' }) ipAddress!: string;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' }) createdAt!: Date;
  /** Time of the login that began the family; every rotation copies it. */
  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' }) sessionStartedAt!: Date;

  /** Interface 16: the device that began the session, if devices are known; every rotation copies it. */
  @Property({ type: 'uuid', nullable: true }) deviceId!: string | null;

  // Interface 20: how the session was proved; every rotation copies both. Null: by the password, at its login.
  @Property({ columnType: 'text[]', nullable: true }) amr!: AuthenticationMethod[] | null;
  /** Of the latest confirmation or enrolment */
  @Property({ type: 'timestamptz', length: 6, nullable: true }) provedAt!: Date | null;

  // Interface 12, in the new record of a rotation with a key; otherwise null.
  /** The record that this rotation used */
  @Property({ type: 'uuid', nullable: true }) predecessorJti!: string | null;
  @Property({ type: 'blob', nullable: true }) retryKeySha256!: Uint8Array | null;

  // Interface 12, in the used record.
  /** True after a logout with it: retries are no longer answered */
  @Property({ type: 'boolean', nullable: true }) retryEnded!: boolean | null;
  /** Number of retries; the next columns are about the last one */
  @Property({ type: 'integer', nullable: true }) retries!: number | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) retriedAt!: Date | null;
  @Property({ type: 'text', nullable: true }) retriedIpAddress!: string | null;
  @Property({ type: 'text', nullable: true }) retriedUserAgent!: string | null;
}
