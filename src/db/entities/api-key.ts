/** Spec 2.8 and CONTRACT 6: a key whose holder signs requests. */
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'api_keys' })
@Check({ name: 'api_keys_rate_limit_range', expression: 'rate_limit >= 1 and rate_limit <= 1000000' })
export class ApiKey {
  /** `ak_…` */
  @PrimaryKey({ type: 'text' })
  keyId!: string;

  @Property({ type: 'text' })
  serviceName!: string;

  @Property({ type: 'text[]' })
  scopes!: string[];

  /** Requests per minute, over all instances */
  @Property({ type: 'integer' })
  rateLimit!: number;

  /** The secret as a compact JWE (`credentials/sealed-secret.ts`). */
  @Property({ type: 'text', lazy: true, hidden: true })
  sealedSecret!: string;

  /** The secret before the last rotation, good until `previousEndsAt`. */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true })
  previousSealedSecret!: string | null;

  @Property({ type: 'timestamptz', length: 6, nullable: true })
  previousEndsAt!: Date | null;

  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 6, nullable: true })
  revokedAt!: Date | null;

  /** To the minute: a request writes it only where it is older than that. */
  @Property({ type: 'timestamptz', length: 6, nullable: true })
  lastUsedAt!: Date | null;
}
