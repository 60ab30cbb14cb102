import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 12: what proves a retry stands in the new record, which is inserted with it, so that the used one grows no
 * more than before and is updated in place (HOT); there only a retry is noted. All may be null, so that no row is
 * written here, and no index names them.
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
