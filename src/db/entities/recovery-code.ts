/** A recovery code of a user, which is used by deletion. (Interface 20) */
import { Entity, PrimaryKey } from '@mikro-orm/decorators/legacy';

@Entity({ tableName: 'recovery_codes' })
export class RecoveryCode {
  @PrimaryKey({ type: 'uuid' }) userId!: string;
  @PrimaryKey({ columnType: 'bytea' }) codeSha256!: Uint8Array;
}
