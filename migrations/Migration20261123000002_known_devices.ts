import { Migration } from '@mikro-orm/migrations';

/**
 * Interface 16: devices that users have logged in from, and the device of each session. A trigger deletes the least recently
 * used device beyond 20, since it sees what concurrent logins have committed and one statement does not.
 */
export class Migration20261123000002_known_devices extends Migration {
  override up(): void {
    this.addSql('alter table refresh_tokens add column device_id uuid');
    this.addSql(`
      create table known_devices (
        id uuid primary key,
        user_id uuid not null,
        secret_sha256 bytea not null constraint known_devices_secret_sha256_unique unique,
        failed_login_attempts integer not null default 0,
        locked_until timestamptz,
        user_agent text not null,
        created_at timestamptz not null,
        last_used_at timestamptz not null,
        constraint known_devices_user_agent_length check (char_length(user_agent) <= 512),
        constraint known_devices_failed_login_attempts_not_negative check (failed_login_attempts >= 0)
      )`);
    this.addSql('create index known_devices_user_id on known_devices (user_id, last_used_at)');
    this.addSql('create index known_devices_last_used_at on known_devices (last_used_at)');
    this.addSql(`
      create function limit_devices() returns trigger language plpgsql as $$
      begin
        delete from known_devices where id in (
          select id from known_devices where user_id = new.user_id order by last_used_at desc, id desc offset 20
        );
        return null;
      end $$`);
    this.addSql(`
      create trigger limit_devices after insert on known_devices
      for each row execute function limit_devices()`);
  }

  override down(): void {
    this.addSql('drop table known_devices');
    this.addSql('drop function limit_devices');
    this.addSql('alter table refresh_tokens drop column device_id');
  }
}
