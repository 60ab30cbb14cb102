/** Spec 2.8 and CONTRACT 6: a static internal key. */
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'cron_keys' })
export class CronKey {
  /** `ck_…` */
  @PrimaryKey({ type: 'text' })
  keyId!: string;

  @Property({ type: 'text' })
  serviceName!: string;

  @Property({ type: 'text[]' })
  scopes!: string[];

  /** SHA-256 of the secret in hex; 256 random bits need no slow hash. */
  @Property({ type: 'text', lazy: true, hidden: true })
  secretSha256!: string;

  @Property({ type: 'timestamptz', length: 6, defaultRaw: 'now()' })
  createdAt!: Date;

  @Property({ type: 'timestamptz', length: 6, nullable: true })
  revokedAt!: Date | null;

  /** To the minute: a request writes it only where it is older than that. */
  @Property({ type: 'timestamptz', length: 6, nullable: true })
  lastUsedAt!: Date | null;
}
