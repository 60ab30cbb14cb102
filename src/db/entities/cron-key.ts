/** A static internal key. (Spec 2.8 and Interface 6) */
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { Key } from './key.js';

@Entity({ tableName: 'cron_keys' })
export class CronKey extends Key {
  /** SHA-256 of the secret in hex; 256 random bits need no slow hash. */
  @Property({ type: 'text', lazy: true, hidden: true }) secretSha256!: string;
  /** The same of the secret before the last rotation, good until `previousEndsAt`. */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) previousSecretSha256!: string | null;
}
