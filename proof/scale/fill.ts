/** Fills a database with what users leave behind in the days that records are kept. */
import type { PostgresServer } from '../evidence/lab/postgres-server.js';
import { ASSUMED } from './model.js';

export const SESSIONS_OF_A_USER = ASSUMED.recordDays * ASSUMED.sessionsADay;

/** Its login and its rotations; the last is live, until it expires. */
export function recordsOfASession(hoursADay: number): number {
  return 1 + (hoursADay * 3_600) / ASSUMED.accessTokenSeconds;
}

const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** A day after the other, in the order in which gateways would have written; every user has a session each day. */
export async function fillSessions(db: Pick<PostgresServer, 'query'>, users: number, hoursADay: number): Promise<void> {
  for (let daysAgo = SESSIONS_OF_A_USER; daysAgo > 0; daysAgo -= 1) {
    await db.query(
      `insert into refresh_tokens (jti, user_id, family_id, revoked, revoked_reason, revoked_at,
         user_agent, ip_address, created_at, session_started_at, expires_at)
       select ${uuidAt('at')}, id, family_id, rotated, case when rotated then 'rotated' end,
         case when rotated then at + interval '15 minutes' end,
         '${USER_AGENT}', '203.0.113.7', at, began, at + interval '14 days'
       from (
         select id, family_id, began, began + rotation * interval '15 minutes' as at, rotation < $3 - 1 as rotated
         from (
           select id, ${uuidAt('began')} as family_id, began from (
             select id, now() - $2 * interval '1 day' + random() * interval '1 hour' as began from users limit $1
           ) as logins
         ) as sessions, generate_series(0, $3::integer - 1) as rotation
         order by at
       ) as records`,
      [users, daysAgo, recordsOfASession(hoursADay)],
    );
  }
  await db.query('vacuum analyze refresh_tokens, sessions');
}

/** SQL of a UUID of version 7 at that time */
function uuidAt(time: string): string {
  return `uuidv7(${time} - now())`;
}
