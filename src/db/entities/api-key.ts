/** A key whose holder signs requests. (Spec 2.8 and Interface 6) */
import { Check, Entity, Property } from '@mikro-orm/decorators/legacy';
import { Key } from './key.js';

@Entity({ tableName: 'api_keys' })
@Check({ name: 'api_keys_rate_limit_range', expression: 'rate_limit >= 1 and rate_limit <= 1000000' })
export class ApiKey extends Key {
  /** Requests per minute, over all instances */
  @Property({ type: 'integer' }) rateLimit!: number;
  /** The secret as a compact JWE (`credentials/sealed-secret.ts`). */
  @Property({ type: 'text', lazy: true, hidden: true }) sealedSecret!: string;
  /** The secret before the last rotation, good until `previousEndsAt`. */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) previousSealedSecret!: string | null;
}
