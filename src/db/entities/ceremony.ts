/** What waits for a proof: a half login, a challenge for a passkey, or a secret that no code has confirmed yet. (Interface 20) */
import { Check, Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export type CeremonyPurpose =
  | 'half_login'
  | 'passkey_login'
  | 'second_factor'
  | 'confirmation'
  | 'passkey_enrolment'
  | 'totp_enrolment';

@Entity({ tableName: 'ceremonies' })
@Index({ name: 'ceremonies_user_id', properties: ['userId'] })
@Index({ name: 'ceremonies_expires_at', properties: ['expiresAt'] })
@Check({
  name: 'ceremonies_purpose_known',
  expression:
    "purpose in ('half_login', 'passkey_login', 'second_factor', 'confirmation', 'passkey_enrolment', 'totp_enrolment')",
})
export class Ceremony {
  /** Of the token of a half login, the challenge for a passkey, or the id of a factor to be */
  @PrimaryKey({ columnType: 'bytea' }) tokenSha256!: Uint8Array;
  @Property({ type: 'text' }) purpose!: CeremonyPurpose;
  /** Null: a passkey will say who logs in */
  @Property({ type: 'uuid', nullable: true }) userId!: string | null;
  /** Of the user when it began; a new password ends it */
  @Property({ type: 'integer', nullable: true }) passwordVersion!: number | null;
  /** The session of a confirmation or an enrolment */
  @Property({ type: 'uuid', nullable: true }) familyId!: string | null;
  /** Of a second factor: its half login */
  @Property({ columnType: 'bytea', nullable: true }) halfLoginSha256!: Uint8Array | null;
  /** Of a passkey to be */
  @Property({ columnType: 'bytea', nullable: true }) userHandle!: Uint8Array | null;
  /** Of an authenticator app to be */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) sealedSecret!: string | null;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
}
