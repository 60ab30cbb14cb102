/** A second factor of a user: the secret of an authenticator app, or a passkey. (Interface 20) */
import { Check, Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import type { FactorKind } from '../../domain/factors.js';

@Entity({ tableName: 'factors' })
@Index({ name: 'factors_user_id', properties: ['userId', 'createdAt'] })
@Unique({ name: 'factors_one_totp', properties: ['userId'], where: "kind = 'totp'" })
@Check({ name: 'factors_kind_known', expression: `kind in ('totp', 'passkey')` })
@Check({ name: 'factors_name_length', expression: 'char_length(name) >= 1 and char_length(name) <= 100' })
@Check({
  name: 'factors_whole',
  expression: `case kind
          when 'totp' then sealed_secret is not null
          else num_nulls(credential_id, user_handle, public_key, sign_count, transports, is_synced) = 0
        end`,
})
export class Factor {
  @PrimaryKey({ type: 'uuid' }) id!: string;
  @Property({ type: 'uuid' }) userId!: string;
  @Property({ type: 'text' }) kind!: FactorKind;
  @Property({ type: 'text' }) name!: string;
  @Property({ type: 'timestamptz', length: 6 }) createdAt!: Date;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) lastUsedAt!: Date | null;

  // Of an authenticator app (RFC 6238).
  /** Compact JWE, bound to the id of this row */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) sealedSecret!: string | null;
  /** The newest step whose code was used: it and older ones are refused */
  @Property({ type: 'integer', nullable: true }) lastStep!: number | null;

  // Of a passkey (WebAuthn Level 3).
  @Property({ columnType: 'bytea', nullable: true, unique: 'factors_credential_id_unique' })
  credentialId!: Uint8Array | null;
  /** Random, and the same for all passkeys of the user: `user.id` of WebAuthn */
  @Property({ columnType: 'bytea', nullable: true }) userHandle!: Uint8Array | null;
  /** COSE_Key */
  @Property({ columnType: 'bytea', nullable: true }) publicKey!: Uint8Array | null;
  @Property({ type: 'bigint', nullable: true }) signCount!: string | null;
  @Property({ columnType: 'text[]', nullable: true }) transports!: string[] | null;
  /** True if it can be on several devices (BE) */
  @Property({ type: 'boolean', nullable: true }) isSynced!: boolean | null;
}
