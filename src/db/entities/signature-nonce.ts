/** Interface 6: nonces that have been used up, each once per key. */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'signature_nonces' })
@Index({ name: 'signature_nonces_expires_at', properties: ['expiresAt'] })
export class SignatureNonce {
  @PrimaryKey({ type: 'text' }) keyId!: string;
  @PrimaryKey({ type: 'text' }) nonce!: string;
  /** From then on a request with this nonce is too old anyway. */
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
}
