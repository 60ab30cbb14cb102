/** An endpoint that receives audit events. Its cursor has the same id. (Interface 17) */
import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'webhooks' })
@Check({ name: 'webhooks_url_length', expression: 'char_length(url) <= 2048' })
export class Webhook {
  @PrimaryKey({ type: 'uuid' }) id!: string;
  /** Its path may be a secret, so it is never logged. */
  @Property({ type: 'text' }) url!: string;
  /** Null: all */
  @Property({ type: 'text[]', nullable: true }) eventTypes!: string[] | null;
  @Property({ type: 'boolean' }) includeEmails!: boolean;
  /** `whsec_…` as a compact JWE (`credentials/sealed-secret.ts`) */
  @Property({ type: 'text', lazy: true, hidden: true }) sealedSecret!: string;
  /** The secret before the last rotation, which signs too until `previousEndsAt` */
  @Property({ type: 'text', nullable: true, lazy: true, hidden: true }) previousSealedSecret!: string | null;
  @Property({ type: 'timestamptz', length: 6, nullable: true }) previousEndsAt!: Date | null;
  @Property({ type: 'timestamptz', length: 6 }) createdAt!: Date;
}
