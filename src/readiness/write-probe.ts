/** Tries whether a login could write now, and leaves nothing behind. (Interface 10) */
import { type Db, type Statement, statement } from '../db/statement.js';

/** Shorter than the second after which PostgreSQL looks for deadlocks, so that a program that alters the tables is not cancelled. */
const LOCK_TIMEOUT_MS = 900;

/**
 * Takes the locks of a login, and writes a row like a login's to each of its tables, of the same size and at the same place
 * in the indexes: on a full disk one table or index may have space left while another has none. The inner block always
 * undoes this. Any other failure fails the statement.
 *
 * It waits for no row: it inserts rows with new keys, and updates a user that is not locked. The update comes last, so that
 * it waits for nothing while it holds that row.
 * @param counting SQL that counts a login
 */
function writeProbe(name: string, counting: string): Statement<Record<never, never>, Record<never, never>> {
  return statement(name, {}, {})`
  do $$
  declare
    now_ms constant bigint := extract(epoch from clock_timestamp()) * 1000;
    fresh constant uuid := (lpad(to_hex(now_ms), 12, '0') || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid;
    agent constant text := repeat('x', 150);
  begin
    perform set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true);
    lock table users, refresh_tokens, sessions, audit_events, rate_limits in row exclusive mode;
    begin
      ${counting}
      insert into refresh_tokens -- the first record of a session, for which a trigger inserts into sessions
        (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at)
      values (fresh, fresh, fresh, agent, '', now() + interval '30 days', now(), now());
      insert into audit_events (id, event_type, user_id, ip_address, user_agent, metadata)
      values (fresh, 'login_success', fresh, '', agent, '{}');
      update users set failed_login_attempts = failed_login_attempts
      where id = (select id from users order by id limit 1 for no key update skip locked);
      raise exception 'taken back' using errcode = 'RH000';
    exception when sqlstate 'RH000' then null;
    end;
  end $$`;
}

const probeLoginWritesSql = writeProbe(
  'probe_login_writes',
  `insert into rate_limits (key, points, expire) values ('write_probe:' || fresh, 1, now_ms);`,
);
const probeUncountedLoginWritesSql = writeProbe('probe_uncounted_login_writes', '');

/** @param counts whether PostgreSQL also counts logins @throws the error that a login would get */
export async function probeLoginWrites(db: Db, counts: boolean): Promise<void> {
  await db.run(counts ? probeLoginWritesSql : probeUncountedLoginWritesSql, {});
}
