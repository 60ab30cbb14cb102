import { Migration } from '@mikro-orm/migrations';

/** Interface 6: API keys, cron keys, and the nonces of signed requests. */
export class Migration20261121000002_keys_and_nonces extends Migration {
  override up(): void {
    this.addSql(`
      create table api_keys (
        key_id text primary key,
        service_name text not null,
        scopes text[] not null,
        rate_limit integer not null,
        sealed_secret text not null,
        previous_sealed_secret text,
        previous_ends_at timestamptz,
        created_at timestamptz not null default now(),
        revoked_at timestamptz,
        last_used_at timestamptz,
        constraint api_keys_rate_limit_range check (rate_limit between 1 and 1000000)
      )`);
    this.addSql(`
      create table cron_keys (
        key_id text primary key,
        service_name text not null,
        scopes text[] not null,
        secret_sha256 text not null,
        created_at timestamptz not null default now(),
        revoked_at timestamptz,
        last_used_at timestamptz
      )`);
    this.addSql(`
      create table signature_nonces (
        key_id text not null,
        nonce text not null,
        expires_at timestamptz not null,
        primary key (key_id, nonce)
      )`);
    this.addSql('create index signature_nonces_expires_at on signature_nonces (expires_at)');
  }

  override down(): void {
    this.addSql('drop table signature_nonces, cron_keys, api_keys');
  }
}
