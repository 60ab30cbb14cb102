/** The link from an operator by which a user chooses a password. A user has one: a newer link replaces it. (Interface 15) */
import { Check, Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { LinkPurpose } from '../../domain/link-purpose.js';

@Entity({ tableName: 'password_links' })
@Index({ name: 'password_links_expires_at', properties: ['expiresAt'] })
@Check({ name: 'password_links_purpose_known', expression: `purpose in ('invitation', 'reset')` })
export class PasswordLink {
  @PrimaryKey({ type: 'uuid' }) userId!: string;
  @Property({ columnType: 'bytea', unique: 'password_links_token_sha256_unique' }) tokenSha256!: Uint8Array;
  /** The version of the user when the link was issued; a new password ends the link. */
  @Property({ type: 'integer' }) passwordVersion!: number;
  @Property({ type: 'text' }) purpose!: LinkPurpose;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
  /** The token as a compact JWE while a mail with it waits; erased once that is sent */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) sealedToken!: string | null;
}
