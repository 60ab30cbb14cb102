import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 12: the proof of a retry is inserted with the new record, so that the update of the used one does not grow and
 * stays in place (HOT); the used one only notes retries. All columns may be null, so that this migration writes no row,
 * and no index has them.
 */
export class Migration20261122000004_proof_of_retry extends Migration {
  override up(): void {
    this.addSql(`
      alter table refresh_tokens
        add column predecessor_jti uuid,
        add column retry_key_sha256 bytea,
        add column retry_ended boolean,
        add column retries integer,
        add column retried_at timestamptz,
        add column retried_ip_address text,
        add column retried_user_agent text`);
  }

  override down(): void {
    this.addSql(`
      alter table refresh_tokens
        drop column predecessor_jti, drop column retry_key_sha256, drop column retry_ended, drop column retries,
        drop column retried_at, drop column retried_ip_address, drop column retried_user_agent`);
  }
}
