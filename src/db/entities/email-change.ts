/** An address that a user wants to have, until its link is opened. A user has at most one. (Interface 21) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'email_changes' })
@Index({ name: 'email_changes_expires_at', properties: ['expiresAt'] })
export class EmailChange {
  @PrimaryKey({ type: 'uuid' }) userId!: string;
  @Property({ columnType: 'bytea' }) tokenSha256!: Uint8Array;
  @Property({ type: 'text' }) email!: string;
  /** The version of the user when the link was issued; a new password ends the link. */
  @Property({ type: 'integer' }) passwordVersion!: number;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
  /** The token as a compact JWE until its mail is sent */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) sealedToken!: string | null;
}
