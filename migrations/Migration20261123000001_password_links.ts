import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 15: users without a password, who chose a password, and the links by which people choose theirs. The previous
 * version reads a missing password as that of an unknown user.
 */
export class Migration20261123000001_password_links extends Migration {
  override up(): void {
    this.addSql('alter table users alter column password_hash drop not null');
    this.addSql('alter table users add column password_chosen_by_user boolean not null default false');
    this.addSql(`
      create table password_links (
        user_id uuid primary key,
        token_sha256 bytea not null constraint password_links_token_sha256_unique unique,
        password_version integer not null,
        purpose text not null,
        expires_at timestamptz not null,
        constraint password_links_purpose_known check (purpose in ('invitation', 'reset'))
      )`);
    this.addSql('create index password_links_expires_at on password_links (expires_at)');
  }

  override down(): void {
    this.addSql('drop table password_links');
    this.addSql('alter table users drop column password_chosen_by_user');
    this.addSql(`update users set password_hash = '' where password_hash is null`);
    this.addSql('alter table users alter column password_hash set not null');
  }
}
