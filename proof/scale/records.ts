/** Records of refresh tokens as two weeks of refreshes leave them. */
import { USER_AGENT } from '../bench/requests.js';
import type { Gateways } from '../evidence/lab/gateways.js';
import { signRefreshTokens } from '../evidence/lab/minted.js';
import type { PostgresServer } from '../evidence/lab/postgres-server.js';

/** One login and its rotations: the last is live */
const RECORDS_A_SESSION = 10;
export const ROWS_A_USER = 100;

type Database = Pick<PostgresServer, 'query'>;

/** Two weeks of sessions that begin one after the other, refreshed every quarter of an hour; `jti`s are in time order. */
export async function fill(database: Database, count: number): Promise<void> {
  await database.query(
    `insert into refresh_tokens (jti, user_id, family_id, revoked, revoked_reason, revoked_at,
       user_agent, ip_address, created_at, session_started_at, expires_at)
     select ${uuidAt('at')}, owner, family_id, rotated, case when rotated then 'rotated' end,
       case when rotated then at + interval '15 minutes' end,
       '${USER_AGENT}', '203.0.113.7', at, began, at + interval '14 days'
     from (
       select began + rotation * interval '15 minutes' as at, began, rotation < $2 - 1 as rotated, owner, family_id
       from (
         select began, owners[1 + session % cardinality(owners)] as owner, ${uuidAt('began')} as family_id
         from generate_series(0, $1::integer / $2 - 1) as session,
           (select array_agg(id) as owners from users) as u,
           lateral (select now() - interval '13 days' + session * (interval '12 days' / ($1 / $2)) as began) as b
       ) as sessions, generate_series(0, $2::integer - 1) as rotation
       order by at
     ) as records`,
    [count, RECORDS_A_SESSION],
  );
  await database.query('vacuum analyze refresh_tokens');
}

/** SQL of a UUID of version 7 at that time */
function uuidAt(time: string): string {
  const millis = `lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0')`;
  return `(${millis} || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`;
}

/** @returns tokens of as many live sessions, from anywhere in the table */
export async function tokensOf(gateways: Gateways, database: Database, count: number): Promise<string[]> {
  const records = await database.query<{ jti: string; sid: string; sub: string }>(
    `select jti, family_id as sid, user_id as sub from refresh_tokens where not revoked order by random() limit ${count}`,
  );
  return signRefreshTokens(gateways, records);
}
