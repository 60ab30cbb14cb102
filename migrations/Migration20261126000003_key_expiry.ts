import { Migration } from '@mikro-orm/migrations';

/** Interface 6: keys that expire, and cron keys with a second secret while they are rotated. */
export class Migration20261126000003_key_expiry extends Migration {
  override up(): void {
    this.addSql('alter table api_keys add column expires_at timestamptz');
    this.addSql(`
      alter table cron_keys
        add column expires_at timestamptz,
        add column previous_secret_sha256 text,
        add column previous_ends_at timestamptz`);
  }

  override down(): void {
    this.addSql(
      'alter table cron_keys drop column previous_ends_at, drop column previous_secret_sha256, drop column expires_at',
    );
    this.addSql('alter table api_keys drop column expires_at');
  }
}
