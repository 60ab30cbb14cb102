/** An address that a user had, which is reserved for them, and can take the account back. (Interface 21) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'email_undos' })
@Index({ name: 'email_undos_user_id', properties: ['userId'] })
@Index({ name: 'email_undos_email', properties: ['email'] })
@Index({ name: 'email_undos_expires_at', properties: ['expiresAt'] })
export class EmailUndo {
  /** In the order of the changes of a user */
  @PrimaryKey({ type: 'uuid' }) id!: string;
  @Property({ type: 'uuid' }) userId!: string;
  @Property({ columnType: 'bytea', unique: 'email_undos_token_sha256_unique' }) tokenSha256!: Uint8Array;
  @Property({ type: 'text' }) email!: string;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
  /** The token as a compact JWE until its mail is sent */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) sealedToken!: string | null;
}
