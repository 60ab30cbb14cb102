/** `--rows`: refreshes over ten thousand rows and over ten million, in turns, each of a database and gateway of its own. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Gateways, type Instance, prepareGateways } from '../evidence/lab/gateways.js';
import type { Lab } from '../evidence/lab/lab.js';
import { signRefreshTokens } from '../evidence/lab/minted.js';
import { createUsers } from '../evidence/lab/users.js';
import { ON_THE_GATEWAYS_CORE } from './cores.js';
import type { Database, Postgres } from './postgres.js';
import type { LoadResult, LoadTask } from './programs/load.js';
import { type Requests, USER_AGENT } from './requests.js';
import { startRunner } from './runner.js';
import { LEAD_IN_MS, type Part, type Row, type Work } from './work.js';
import { loaded } from './works/loaded.js';

export const FEW = 10_000;
export const MANY = 10_000_000;
/** One login and its rotations: the last is live */
const RECORDS_A_SESSION = 10;
export const ROWS_A_USER = 100;
const CONNECTIONS = 64;
/** Live sessions, anywhere in the table, of which each is refreshed when all others have been; fewer, if there are */
const SESSIONS = 40_000;
/** Before anything is measured, each session is refreshed, at this rate or more, and the gateway compiled: seconds */
const [OPENED_A_SECOND, COMPILED_SECONDS] = [2_000, 5];

export function rowsName(count: number): string {
  return `refresh over ${count.toLocaleString('en')} rows`;
}

/** Of sessions that come back after days: which pages they are on, no cache knows. */
export const BACK = ', back after days';

/** @param environment of both gateways */
export async function rowsWorks(
  lab: Lab,
  postgres: Postgres,
  environment: Record<string, string>,
  counts: readonly number[],
): Promise<Work[]> {
  const load = await startRunner<LoadTask, LoadResult>(lab, 'load');
  const works: Work[] = [];
  for (const count of counts) {
    const folder = join(lab.folder, String(count));
    await mkdir(folder);
    const database = await postgres.createDatabase();
    const gateways = await prepareGateways({ ...lab, folder }, database.url, environment);
    const gateway = await gateways.start({}, { wrapper: ON_THE_GATEWAYS_CORE });
    lab.say(`${count.toLocaleString('en')} rows are made`);
    await createUsers(gateways, database, Math.ceil(count / ROWS_A_USER));
    await fill(database, count);
    const its = { database, gateways, gateway };
    const tokens = await tokensOf(its, ANYWHERE);
    await measure('', Math.max(tokens.length / OPENED_A_SECOND, COMPILED_SECONDS), its, tokens);
    const name = rowsName(count);
    const partOf = (what: string, live: string): Part => ({
      connections: CONNECTIONS,
      prepare: async (seconds) => {
        const chosen = await tokensOf(its, live);
        return () => measure(what, seconds, its, chosen);
      },
    });
    const again = partOf(name, NEWEST);
    works.push({ name, parts: count === MANY ? [partOf(name + BACK, ANYWHERE), again] : [again] });
  }
  return works;

  async function measure(what: string, seconds: number, { gateway }: Its, tokens: string[]): Promise<Row[]> {
    const requests: Requests = { kind: 'rotate', way: 'cookie', tokens };
    const task = { url: gateway.url, requests, connections: CONNECTIONS, seconds, leadInMs: LEAD_IN_MS };
    const cost = await loaded({ postgres, load }, gateway.process.pid ?? 0, task);
    return [{ what, connections: CONNECTIONS, ...cost }];
  }
}

interface Its {
  database: Database;
  gateways: Gateways;
  gateway: Instance;
}

/** Two weeks of sessions that begin one after the other, refreshed every quarter of an hour; `jti`s are in time order. */
export async function fill(database: Pick<Database, 'query'>, count: number): Promise<void> {
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

/** Live records: of any session, or of those that were refreshed last */
export const ANYWHERE = 'select * from refresh_tokens where not revoked';
const NEWEST = `${ANYWHERE} order by created_at desc limit ${SESSIONS}`;

export async function tokensOf(
  { database, gateways }: { database: Pick<Database, 'query'>; gateways: Gateways },
  live: string,
): Promise<string[]> {
  const records = await database.query<{ jti: string; sid: string; sub: string }>(
    `select jti, family_id as sid, user_id as sub from (${live}) as live order by random() limit ${SESSIONS}`,
  );
  return signRefreshTokens(gateways, records);
}
