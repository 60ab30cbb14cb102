import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 11: a row for each session, so that the sessions of a user are found without an index that every rotation
 * would have to update. Triggers maintain it, whichever version of the gateway writes the records: it is inserted with the
 * first record of the session and deleted with the newest. Only the newest record has the session's state.
 */
export class Migration20261122000001_sessions extends Migration {
  override up(): void {
    this.addSql(`
      create table sessions (
        family_id uuid primary key,
        user_id uuid not null,
        started_at timestamptz not null
      )`);
    this.addSql('create index sessions_user_id on sessions (user_id, started_at)');
    this.addSql(`
      create function begin_session() returns trigger language plpgsql as $$
      begin
        insert into sessions (family_id, user_id, started_at) values (new.family_id, new.user_id, new.created_at)
        on conflict do nothing;
        return null;
      end $$`);
    this.addSql(`
      create trigger begin_session after insert on refresh_tokens
      for each row when (new.created_at = new.session_started_at) execute function begin_session()`);
    this.addSql(`
      create function forget_session() returns trigger language plpgsql as $$
      begin
        delete from sessions where family_id = old.family_id;
        return null;
      end $$`);
    this.addSql(`
      create trigger forget_session after delete on refresh_tokens
      for each row when (old.revoked_reason is distinct from 'rotated') execute function forget_session()`);
  }

  override down(): void {
    this.addSql('drop trigger begin_session on refresh_tokens');
    this.addSql('drop trigger forget_session on refresh_tokens');
    this.addSql('drop function begin_session, forget_session');
    this.addSql('drop table sessions');
  }
}
