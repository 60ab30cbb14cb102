import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 15: the links that people asked for themselves, so that such a request leaves a link of an operator alone. The
 * previous version neither reads nor writes them; those that it has made stay in `password_links`.
 */
export class Migration20261126000002_requested_links extends Migration {
  override up(): void {
    this.addSql(`
      create table requested_links (
        user_id uuid primary key,
        event_id uuid not null,
        token_sha256 bytea not null constraint requested_links_token_sha256_unique unique,
        password_version integer not null,
        issued_at timestamptz not null,
        expires_at timestamptz not null,
        sealed_token text,
        mailed_at timestamptz[] not null,
        has_failed boolean not null default false
      )`);
    this.addSql('create index requested_links_expires_at on requested_links (expires_at)');
  }

  override down(): void {
    this.addSql('drop table requested_links');
  }
}
