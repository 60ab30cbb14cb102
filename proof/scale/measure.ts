/**
 * `npm run scale`, without a word: measures what rows and the write-ahead log cost, then fills a database for a thousandth of ten million
 * users, refreshes their sessions, and compares what that costs with the model. Writes `costs.json` and
 * `simulation.json`; `npm run docs` prints them in `docs/scale.md`. Exit code 1 if the model is wrong. A quiet machine is
 * needed for the CPU alone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { logout } from '../evidence/lab/browser.js';
import { type Gateways, type Instance, prepareGateways } from '../evidence/lab/gateways.js';
import { inLab, type Lab } from '../evidence/lab/lab.js';
import { mintSessions, signRefreshTokens } from '../evidence/lab/minted.js';
import { type PostgresServer, startPostgresServer } from '../evidence/lab/postgres-server.js';
import { logInAt } from '../evidence/lab/probes.js';
import { createUsers } from '../evidence/lab/users.js';
import { startReport } from '../evidence/report.js';
import { measureCluster } from './cluster.js';
import { bytesOf, costOf, rotate } from './cost.js';
import { fillSessions, recordsOfASession, SESSIONS_OF_A_USER } from './fill.js';
import { ASSUMED, type Checked, type Costs, deviationOf, holds, needOf } from './model.js';
import { measureSizes } from './sizes.js';

const COSTS = 'proof/scale/costs.json';
const SIMULATION = 'proof/scale/simulation.json';
const ROWS = 'proof/scale/rows.json';
const CLUSTER = 'proof/scale/cluster.json';
/** Nothing is measured across a checkpoint but where it says so. */
const SETTINGS = { shared_buffers: '2GB', max_wal_size: '64GB', checkpoint_timeout: '1h', autovacuum: 'off' };
/** The queue of passwords is short */
const HASHES_AT_ONCE = 4;
const LOGINS = 300;
const REFRESHES = 20_000;
/** Of ten million users */
const USERS = 10_000;
const HOURS_A_DAY = 8;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function open(lab: Lab): Promise<Opened> {
  const db = await startPostgresServer(lab, undefined, SETTINGS);
  const gateways = await prepareGateways(lab, db.urlAt(db.port), { SESSION_RATE_LIMIT: '1000000' });
  return { db, gateways, gateway: await gateways.start() };
}

interface Opened {
  db: PostgresServer;
  gateways: Gateways;
  gateway: Instance;
}

async function measureDisk({
  db,
  gateways,
  gateway: { url },
}: Opened): Promise<Omit<Costs['disk'], 'date' | 'commit'>> {
  const [email = ''] = await createUsers(gateways, db, 1_000);
  const tokens = await mintSessions(gateways, db, email, REFRESHES / 4);
  await db.query('checkpoint');
  const all = [...tokens.keys()];
  await costOf(db, all, (i) => rotate(url, tokens, i)); // every page has its image in the log
  const refreshes = await costOf(db, all, (i) => rotate(url, tokens, i));
  say(`a refresh: ${refreshes.walBytes.toFixed(0)} bytes of log`);

  const logins = Array.from({ length: LOGINS }, (_, i) => i);
  const sessions: string[] = [];
  const login = async (): Promise<void> => {
    const { status, cookie = '' } = await logInAt(url, email);
    if (status !== 200) throw new Error(`a login was answered ${status}`);
    sessions.push(cookie);
  };
  const leave = async (token: string): Promise<void> => {
    const { status } = await logout(url, token);
    if (status !== 200) throw new Error(`a logout was answered ${status}`);
  };
  await costOf(db, logins.slice(0, LOGINS / 3), login, HASHES_AT_ONCE);
  const loginCost = await costOf(db, logins, login, HASHES_AT_ONCE);
  await costOf(db, sessions.slice(0, LOGINS / 3), leave);
  const logoutCost = await costOf(db, sessions.slice(LOGINS / 3), leave);
  say(`a login: ${loginCost.walBytes.toFixed(0)} bytes of log, a logout: ${logoutCost.walBytes.toFixed(0)}`);

  await db.query(`insert into audit_events (id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at)
    select uuidv7(number * interval '1 ms'), event_type, entity_type, user_id, ip_address, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      metadata, created_at + number * interval '1 ms'
    from (select * from audit_events where event_type in ('user_login', 'logout') order by id desc limit 200) as events,
      generate_series(1, 2000) as number`);
  await db.query('truncate refresh_tokens, sessions');
  await fillSessions(db, 1_000, HOURS_A_DAY);
  return {
    wal_bytes_refresh: refreshes.walBytes,
    wal_bytes_login: loginCost.walBytes,
    wal_bytes_logout: logoutCost.walBytes,
    bytes_record: await bytesOf(db, 'refresh_tokens'),
    bytes_session: await bytesOf(db, 'sessions'),
    bytes_event: await bytesOf(db, 'audit_events'),
  };
}

interface Simulation {
  date: string;
  commit: string;
  users: number;
  records: number;
  seconds: number;
  /** Of a refresh whose pages were all changed for the first time since a checkpoint */
  wal_bytes_after_checkpoint: number;
  checked: Checked[];
}

async function simulate(
  { db, gateways, gateway: { url } }: Opened,
  costs: Costs,
): Promise<Omit<Simulation, 'date' | 'commit'>> {
  const startedMs = performance.now();
  await createUsers(gateways, db, USERS);
  await fillSessions(db, USERS, HOURS_A_DAY);
  const records = USERS * SESSIONS_OF_A_USER * recordsOfASession(HOURS_A_DAY);
  say(`${records.toLocaleString('en')} records of ${USERS.toLocaleString('en')} users are there`);
  const [sizes] = await db.query<{ bytes: number }>(
    `select (pg_total_relation_size('refresh_tokens') + pg_total_relation_size('sessions'))::float8 as bytes`,
  );
  const live = await db.query<{ jti: string; sid: string; sub: string }>(
    `select jti, family_id as sid, user_id as sub from refresh_tokens where not revoked and expires_at > now() + interval '1 day' order by random() limit ${REFRESHES}`,
  );
  const tokens = await signRefreshTokens(gateways, live);
  const all = [...tokens.keys()];
  await db.query('checkpoint');
  const first = await costOf(db, all, (i) => rotate(url, tokens, i));
  const next = await costOf(db, all, (i) => rotate(url, tokens, i));
  const need = needOf({ users: USERS, hoursADay: HOURS_A_DAY }, costs);
  const check = (what: string, expected: number, measured: number, tolerance: number): Checked => ({
    what,
    expected,
    measured,
    tolerance,
  });
  return {
    users: USERS,
    records,
    seconds: (performance.now() - startedMs) / 1000,
    wal_bytes_after_checkpoint: first.walBytes,
    checked: [
      check(
        'disk of the sessions of a user, kB',
        need.sessionBytes / USERS / 1e3,
        (sizes?.bytes ?? 0) / USERS / 1e3,
        0.15,
      ),
      check('log of a refresh, bytes', costs.disk.wal_bytes_refresh, next.walBytes, 0.15),
      check('PostgreSQL of a refresh, µs', costs.cpu.postgres_us_refresh, next.postgresUs, 0.5),
    ],
  };
}

function readCosts(): Costs {
  return JSON.parse(readFileSync(COSTS, 'utf8')) as Costs;
}

function write(file: string, value: unknown): void {
  const rounded = JSON.stringify(
    value,
    (_key, field) => (typeof field === 'number' ? Number(field.toPrecision(4)) : field),
    2,
  );
  writeFileSync(file, `${rounded}\n`);
}

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort(new Error(signal)));
const { date, commit, machine } = startReport('small');
const began = { date: date.slice(0, 10), commit };
const OPTIONS = { cluster: { type: 'boolean' }, rows: { type: 'boolean' } } as const;
const { values: asked } = parseArgs({ options: OPTIONS });
if (asked.rows) write(ROWS, { ...began, sizes: await measureSizes(say, interruption.signal) });
if (asked.cluster)
  write(CLUSTER, { ...began, cores: machine.cores, ...(await measureCluster(say, interruption.signal)) });
if (asked.rows || asked.cluster) process.exit();
const disk = await inLab(say, interruption.signal, async (lab) => measureDisk(await open(lab)));
const costs: Costs = { ...readCosts(), disk: { date: date.slice(0, 10), commit, ...disk } };
write(COSTS, costs);
const found = await inLab(say, interruption.signal, async (lab) => simulate(await open(lab), costs));
write(SIMULATION, { date: date.slice(0, 10), commit, ...found });
for (const checked of found.checked) {
  const { what, expected, measured } = checked;
  say(
    `${what}: ${expected.toFixed(1)} expected, ${measured.toFixed(1)} measured, ${(100 * deviationOf(checked)).toFixed(0)} % ${holds(checked) ? '' : 'TOO FAR'}`,
  );
}
say(`records are kept for ${ASSUMED.recordDays} days`);
process.exit(found.checked.every(holds) ? 0 : 1);
