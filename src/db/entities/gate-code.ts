/** The way back from `/gate` to a service behind it, good once and for 30 seconds. (Interface 22) */
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'gate_codes' })
@Index({ name: 'gate_codes_expires_at', properties: ['expiresAt'] })
export class GateCode {
  @PrimaryKey({ columnType: 'bytea' }) codeSha256!: Uint8Array;
  @Property({ type: 'uuid' }) userId!: string;
  @Property({ type: 'uuid' }) familyId!: string;
  /** Of the service */
  @Property({ type: 'text' }) origin!: string;
  /** Path and query that were asked for */
  @Property({ type: 'text' }) target!: string;
  /** Of the cookie of the browser that was sent to `/gate` */
  @Property({ columnType: 'bytea' }) stateSha256!: Uint8Array;
  @Property({ type: 'timestamptz', length: 6 }) expiresAt!: Date;
}
