/** The used nonces of each key. (Interface 6) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'signature_nonces' })
@Index({ name: 'signature_nonces_expires_at', properties: ['expiresAt'] })
export class SignatureNonce {
  @PrimaryKey({ type: 'text' }) keyId!: string;
  @PrimaryKey({ type: 'text' }) nonce!: string;
  /** A later request with this nonce is refused for its age. */
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
}
