import { Migration } from '@mikro-orm/migrations';

/** Interface 21: e-mails that users change themselves, and the way back. The previous version reads neither table. */
export class Migration20261127000002_email_changes extends Migration {
  override up(): void {
    this.addSql(`
      create table email_changes (
        user_id uuid primary key,
        token_sha256 bytea not null,
        email text not null,
        password_version integer not null,
        expires_at timestamptz not null,
        sealed_token text
      )`);
    this.addSql('create index email_changes_expires_at on email_changes (expires_at)');
    this.addSql(`
      create table email_undos (
        id uuid primary key,
        user_id uuid not null,
        token_sha256 bytea not null constraint email_undos_token_sha256_unique unique,
        email text not null,
        expires_at timestamptz not null,
        sealed_token text
      )`);
    this.addSql('create index email_undos_user_id on email_undos (user_id)');
    this.addSql('create index email_undos_email on email_undos (email)');
    this.addSql('create index email_undos_expires_at on email_undos (expires_at)');
  }

  override down(): void {
    this.addSql('drop table email_changes, email_undos');
  }
}
