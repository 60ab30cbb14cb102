import { Migration } from '@mikro-orm/migrations';

/** Interface 11: rows for sessions that are older than the table. It locks nothing that a request needs. */
export class Migration20261122000002_sessions_begun_before extends Migration {
  override up(): void {
    this.addSql(`
      insert into sessions (family_id, user_id, started_at)
      select family_id, user_id, session_started_at from refresh_tokens
      where revoked_reason is distinct from 'rotated' -- one of each
      on conflict do nothing`);
  }

  override down(): void {}
}
