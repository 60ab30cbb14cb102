/** Interface 10: whether a login could write now, tried without leaving anything. */
import { type Db, statement } from '../db/statement.js';

/** Below the second after which PostgreSQL looks for deadlocks: whoever alters the tables is not ended because of this. */
const LOCK_TIMEOUT_MS = 900;

/**
 * The locks that a login takes, and its event, which needs room on the disk as that of a login does. The inner block
 * takes the event back, whatever becomes of the outer; what fails for another reason fails the statement.
 */
const rehearseLoginSql = statement('rehearse_login', {}, {})`
  do $$
  begin
    perform set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true);
    lock table users, refresh_tokens, sessions, audit_events, rate_limits in row exclusive mode;
    begin
      insert into audit_events (event_type, ip_address, metadata) values ('login_success', '', '{}');
      raise exception 'taken back' using errcode = 'RH000';
    exception when sqlstate 'RH000' then null;
    end;
  end $$`;

/** @throws what a login would fail with */
export async function rehearseLogin(db: Db): Promise<void> {
  await db.run(rehearseLoginSql, {});
}
