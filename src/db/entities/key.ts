/** The common columns of API keys and cron keys. (Interface 6) */
import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

export abstract class Key {
  /** `ak_…` or `ck_…` */
  @PrimaryKey({ type: 'text' }) keyId!: string;
  @Property({ type: 'text' }) serviceName!: string;
  @Property({ type: 'text[]' }) scopes!: string[];
  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' }) createdAt!: Date;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) revokedAt!: Date | null;
  /** From then on it is refused as if it were revoked. Null: never */
  @Property({ type: 'timestamptz', length: 6, nullable: true }) expiresAt!: Date | null;
  /** When the secret before the last rotation ends */
  @Property({ type: 'timestamptz', length: 6, nullable: true }) previousEndsAt!: Date | null;
  /** To the minute: a request writes it only if the stored one is older than that. */
  @Property({ type: 'timestamptz', length: 6, nullable: true }) lastUsedAt!: Date | null;
}
