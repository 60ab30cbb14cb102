import { Migration } from '@mikro-orm/migrations';

/** Interface 22: ways back from `/gate`. The previous version neither reads nor writes them. */
export class Migration20261128000001_gate_codes extends Migration {
  override up(): void {
    this.addSql(`
      create table gate_codes (
        code_sha256 bytea primary key,
        user_id uuid not null,
        family_id uuid not null,
        origin text not null,
        target text not null,
        state_sha256 bytea not null,
        expires_at timestamptz not null
      )`);
    this.addSql('create index gate_codes_expires_at on gate_codes (expires_at)');
  }

  override down(): void {
    this.addSql('drop table gate_codes');
  }
}
