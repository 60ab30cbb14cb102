/** The link that a user has requested and gets by mail alone. It is stored next to that of an operator. (Interface 15) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'requested_links' })
@Index({ name: 'requested_links_expires_at', properties: ['expiresAt'] })
export class RequestedLink {
  @PrimaryKey({ type: 'uuid' }) userId!: string;
  /** The request whose mail has the link */
  @Property({ type: 'uuid' }) eventId!: string;
  @Property({ columnType: 'bytea', unique: 'requested_links_token_sha256_unique' }) tokenSha256!: Uint8Array;
  /** The version of the user when the link was issued; a new password ends the link. */
  @Property({ type: 'integer' }) passwordVersion!: number;
  /** By the clock of the database, as the requests have it */
  @Property({ type: 'timestamptz', length: 6 }) issuedAt!: Date;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
  /** The token as a compact JWE until its mail is sent */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) sealedToken!: string | null;
  /** When the links of the last hour were issued, this one last */
  @Property({ columnType: 'timestamptz[]' }) mailedAt!: Date[];
  /** Its mail has not been sent: the last attempt failed, and nobody has the link. */
  @Property({ type: 'boolean', default: false }) hasFailed!: boolean;
}
