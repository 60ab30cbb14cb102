/** Fills a database with what users leave behind in the days that records are kept. */
import { USER_AGENT } from '../bench/requests.js';
import type { Gateways } from '../evidence/lab/gateways.js';
import { signRefreshTokens } from '../evidence/lab/minted.js';
import type { PostgresServer } from '../evidence/lab/postgres-server.js';
import { ASSUMED } from './model.js';

export const SESSIONS_OF_A_USER = ASSUMED.recordDays * ASSUMED.sessionsADay;
/** Of `fillRecords`, whose sessions are short */
export const RECORDS_OF_A_USER = 100;
const RECORDS_OF_A_SHORT_SESSION = 10;

type Database = Pick<PostgresServer, 'query'>;

/** Its login and its rotations; the last is live, until it expires. */
export function recordsOfASession(hoursADay: number): number {
  return 1 + (hoursADay * 3_600) / ASSUMED.accessTokenSeconds;
}

/** A day after the other, in the order in which gateways would have written; every user has a session each day. */
export async function fillSessions(db: Database, users: number, hoursADay: number): Promise<void> {
  for (let daysAgo = SESSIONS_OF_A_USER; daysAgo > 0; daysAgo -= 1) {
    const began = "now() - $2 * interval '1 day' + random() * interval '1 hour'";
    const sessions = `select id as owner, ${began} as began from users limit $3`;
    await insertRecords(db, sessions, recordsOfASession(hoursADay), [daysAgo, users]);
  }
  await db.query('vacuum analyze refresh_tokens, sessions');
}

/** Two weeks of short sessions that begin one after the other; users are there. */
export async function fillRecords(db: Database, count: number): Promise<void> {
  const sessions = `select owners[1 + session % cardinality(owners)] as owner,
      now() - interval '13 days' + session * (interval '12 days' / $2::integer) as began
    from generate_series(0, $2::integer - 1) as session, (select array_agg(id) as owners from users) as u`;
  await insertRecords(db, sessions, RECORDS_OF_A_SHORT_SESSION, [count / RECORDS_OF_A_SHORT_SESSION]);
  await db.query('vacuum analyze refresh_tokens');
}

/**
 * The records of sessions, each rotated every quarter of an hour, in the order of their times.
 * @param sessions SQL with `owner` and `began`, and parameters from `$2` on
 */
async function insertRecords(db: Database, sessions: string, records: number, values: number[]): Promise<void> {
  await db.query(
    `insert into refresh_tokens (jti, user_id, family_id, revoked, revoked_reason, revoked_at,
       user_agent, ip_address, created_at, session_started_at, expires_at)
     select ${uuidAt('at')}, owner, family_id, rotated, case when rotated then 'rotated' end,
       case when rotated then at + interval '15 minutes' end,
       '${USER_AGENT}', '203.0.113.7', at, began, at + interval '14 days'
     from (
       select owner, family_id, began, began + rotation * interval '15 minutes' as at, rotation < $1 - 1 as rotated
       from (select owner, ${uuidAt('began')} as family_id, began from (${sessions}) as s) as of_families,
         generate_series(0, $1::integer - 1) as rotation
       order by at
     ) as records`,
    [records, ...values],
  );
}

/** SQL of a UUID of version 7 at that time */
function uuidAt(time: string): string {
  return `uuidv7(${time} - now())`;
}

/** @returns tokens of as many live sessions, from anywhere in the table */
export async function tokensOf(gateways: Gateways, db: Database, count: number): Promise<string[]> {
  const records = await db.query<{ jti: string; sid: string; sub: string }>(
    'select jti, family_id as sid, user_id as sub from refresh_tokens where not revoked order by random() limit $1',
    [count],
  );
  return signRefreshTokens(gateways, records);
}
