/**
 * `npm run scale -- --cluster`: gateways behind HAProxy, PgBouncer, a primary that waits for its replica, and a cluster of
 * Redis. What a refresh costs each of them with one, two and three gateways; what an export takes from the primary; and
 * what is lost if the replica takes the primary's place.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { startRedisCluster } from '../../test/support/programs/redis-groups.js';
import { until } from '../../test/support/until.js';
import { cpuMicros } from '../bench/cpu.js';
import type { LoadResult, LoadTask } from '../bench/programs/load.js';
import { type Runner, startRunner } from '../bench/runner.js';
import { refresh } from '../evidence/lab/browser.js';
import { startClients } from '../evidence/lab/clients.js';
import { type Gateways, type Instance, prepareGateways } from '../evidence/lab/gateways.js';
import { inLab, type Lab } from '../evidence/lab/lab.js';
import { mintSessions } from '../evidence/lab/minted.js';
import { startPgBouncer } from '../evidence/lab/pgbouncer.js';
import { postmasterOf } from '../evidence/lab/postgres-kills.js';
import { type PostgresServer, startPostgresServer } from '../evidence/lab/postgres-server.js';
import { withDescendants } from '../evidence/lab/program.js';
import { startReverseProxy } from '../evidence/lab/reverse-proxy.js';
import { percentile } from '../evidence/lab/stats.js';
import { createUsers } from '../evidence/lab/users.js';
import { COUNTED, readCounts, since } from './cost.js';
import {
  type ClusterFigures,
  medianStep,
  PARTS,
  type Promotion,
  type Reading,
  type Shape,
  type Step,
} from './model.js';

const SETTINGS = { shared_buffers: '512MB', max_wal_size: '8GB', checkpoint_timeout: '1h', wal_keep_size: '1GB' };
const MOST = 3;
const SESSIONS = 3_000;
const [WARM_SECONDS, SECONDS, ROUNDS] = [0.7, 2.5, 3];
const LAG_EVERY_MS = 200;
const EVENTS = 100_000;
const LISTED = 5_000;
const OUTAGE_PAUSE_MS = 200;

/** What is tried, in turns */
const SHAPES: readonly Shape[] = [
  { what: 'alone', gateways: 1, connections: 64, between: 'nothing' },
  { what: 'and a replica', gateways: 1, connections: 64, between: 'nothing', isWaiting: true },
  { what: 'and HAProxy', gateways: 1, connections: 64, between: 'HAProxy', isWaiting: true },
  { what: 'the same load', gateways: 3, connections: 64, between: 'HAProxy', isWaiting: true },
  { what: 'more load', gateways: 3, connections: 192, between: 'HAProxy', isWaiting: true },
  { what: 'and PgBouncer', gateways: 1, connections: 64, between: 'all', isWaiting: true },
  { what: 'the same load', gateways: 2, connections: 64, between: 'all', isWaiting: true },
  { what: 'the same load', gateways: 3, connections: 64, between: 'all', isWaiting: true },
  { what: 'more load', gateways: 2, connections: 128, between: 'all', isWaiting: true },
  { what: 'more load', gateways: 3, connections: 192, between: 'all', isWaiting: true },
  { what: 'little load', gateways: 1, connections: 64, pauseMs: 200, between: 'all', isWaiting: true },
  { what: 'little load', gateways: 3, connections: 64, pauseMs: 200, between: 'all', isWaiting: true },
  { what: 'during an audit export', gateways: 3, connections: 192, between: 'all', isWaiting: true, isExporting: true },
];

interface Cluster {
  primary: PostgresServer;
  replica: PostgresServer;
  /** Through the poolers of both servers */
  gateways: Gateways;
  instances: Instance[];
  email: string;
}

export async function measureCluster(
  say: (line: string) => void,
  interrupted: AbortSignal,
): Promise<Omit<ClusterFigures, 'date' | 'commit' | 'cores'>> {
  const curve = await inLab(say, interrupted, measureCurve);
  const promotions: Promotion[] = [];
  for (const how of ['promoted', 'power loss'] as const) {
    promotions.push(await inLab(say, interrupted, (lab) => promote(lab, how)));
  }
  return { ...curve, promotions };
}

async function openCluster(lab: Lab): Promise<Cluster> {
  const place = async (name: string): Promise<Lab> => {
    const folder = join(lab.folder, name);
    await mkdir(folder);
    return { ...lab, folder };
  };
  const primary = await startPostgresServer(lab, undefined, { ...SETTINGS, ...COUNTED });
  await primary.query('create extension pg_stat_statements');
  const folder = join(lab.folder, 'replica');
  const replica = await startPostgresServer(lab, folder, { ...SETTINGS, ...COUNTED }, primary);
  await beSynchronous(primary, true);
  const poolers = [
    await startPgBouncer(await place('pooler-1'), primary.port),
    await startPgBouncer(await place('pooler-2'), replica.port),
  ];
  const hosts = poolers.map(({ url }) => new URL(url).host).join();
  const redis = await startRedisCluster(3);
  lab.defer(redis.stop);
  const gateways = await prepareGateways(lab, `postgresql://gateway@${hosts}/gateway?pgbouncer=true`, {
    SESSION_RATE_LIMIT: '1000000',
    REDIS_URL: redis.url,
  });
  const instances: Instance[] = [];
  while (instances.length < MOST) instances.push(await gateways.start());
  const [email = ''] = await createUsers(gateways, primary, LISTED);
  return { primary, replica, gateways, instances, email };
}

/** Whether a commit waits until the replica has it on its disk */
async function beSynchronous(primary: PostgresServer, isWaiting: boolean): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '${isWaiting ? 'replica' : ''}'`);
  await primary.query('select pg_reload_conf()');
  await until('the primary knows its replica', async () => {
    const [row] = await primary.query<{ state: string }>('select sync_state as state from pg_stat_replication');
    return row?.state === (isWaiting ? 'sync' : 'async');
  });
}

async function measureCurve(lab: Lab): Promise<{ steps: Step[]; reading: Reading }> {
  const cluster = await openCluster(lab);
  const { primary, gateways, instances, email } = cluster;
  const direct: Instance[] = [];
  while (direct.length < MOST) {
    direct.push(await gateways.with({ DATABASE_URL: primary.urlAt(primary.port) }).start());
  }
  const proxiesOf = async (servers: readonly Instance[]): Promise<string[]> => {
    const urls: string[] = [];
    for (let count = 1; count <= MOST; count += 1) {
      const folder = await mkdtemp(join(lab.folder, 'proxy-'));
      urls.push((await startReverseProxy({ ...lab, folder }, 'haproxy', servers.slice(0, count))).url);
    }
    return urls;
  };
  const all = { servers: instances, proxies: await proxiesOf(instances) };
  const withoutPooler = { servers: direct, proxies: await proxiesOf(direct) };
  const stand: Stand = {
    ...cluster,
    fronts: { nothing: { servers: direct, proxies: direct.map(({ url }) => url) }, HAProxy: withoutPooler, all },
    load: await startRunner<LoadTask, LoadResult>(lab, 'load'),
    tokens: await mintSessions(gateways, primary, email, SESSIONS),
  };
  await fillAudit(primary, email);
  const rounds = new Map(SHAPES.map((shape) => [shape, [] as Step[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [shape, steps] of rounds) steps.push(await measureStep(lab, stand, shape));
  }
  const steps = [...rounds.values()].map(medianStep);
  const reading = await measureReading(cluster);
  return { steps, reading };
}

interface Stand extends Cluster {
  /** Gateways, and the URL in front of one of them, two, and so on */
  fronts: Record<Shape['between'], { servers: Instance[]; proxies: string[] }>;
  load: Runner<LoadTask, LoadResult>;
  /** The live ones, which serve the next step */
  tokens: string[];
}

async function measureStep(lab: Lab, stand: Stand, shape: Shape): Promise<Step> {
  const { primary, load } = stand;
  const { gateways, connections, between, pauseMs = 0, isWaiting = false, isExporting = false } = shape;
  const { servers, proxies } = stand.fronts[between];
  await beSynchronous(primary, isWaiting);
  const url = proxies[gateways - 1] ?? '';
  const run = async (seconds: number, onEdge?: () => void): Promise<LoadResult> => {
    const requests = { kind: 'rotate', way: 'cookie', tokens: stand.tokens } as const;
    const result = await load.run({ url, requests, connections, seconds, leadInMs: 0, pauseMs }, onEdge);
    stand.tokens = result.tokens ?? [];
    return result;
  };
  await run(WARM_SECONDS);
  const serving = servers.slice(0, gateways);
  const cpu: Array<Step['cpuUs']> = [];
  const lag = await watchLag(primary);
  const exports = isExporting ? startExports(lab, stand.gateways) : undefined;
  const before = await readCounts(primary);
  const { answers, rate, medianMs } = await run(SECONDS, () => cpu.push(cpuOfParts(stand, serving)));
  const counts = since(before, await readCounts(primary), answers);
  await exports?.stop();
  const [began, ended] = cpu;
  if (began === undefined || ended === undefined) throw new Error('the load has not said when it began');
  const cpuUs = Object.fromEntries(PARTS.map((part) => [part, (ended[part] - began[part]) / answers]));
  lab.say(`${between}, ${shape.what}, ${gateways} gateways: ${rate.toFixed(0)} a second, ${JSON.stringify(cpuUs)}`);
  return { ...shape, rate, medianMs, cpuUs: cpuUs as Step['cpuUs'], ...counts, ...(await lag.stop()) };
}

/** Microseconds so far */
function cpuOfParts({ primary, replica }: Cluster, serving: readonly Instance[]): Step['cpuUs'] {
  const own = withDescendants(process.pid);
  const named = (name: string): number[] => own.filter((pid) => nameOf(pid) === name);
  return {
    gateways: cpuMicros(serving.map((each) => each.process.pid ?? 0)),
    haproxy: cpuMicros(named('haproxy')),
    pgbouncer: cpuMicros(named('pgbouncer')),
    primary: cpuMicros(withDescendants(postmasterOf(primary))),
    replica: cpuMicros(withDescendants(postmasterOf(replica))),
    redis: cpuMicros(named('redis-server')),
  };
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return ''; // it has just ended
  }
}

async function watchLag(primary: PostgresServer): Promise<{ stop(): Promise<Pick<Step, 'lagBytes' | 'lagMs'>> }> {
  const client = await primary.connect();
  const samples: Array<{ bytes: number; ms: number }> = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await client.query<{ bytes: number; ms: number }>(
        `select (pg_current_wal_lsn() - replay_lsn)::float8 as bytes,
           coalesce(extract(epoch from replay_lag)::float8 * 1000, 0) as ms from pg_stat_replication`,
      );
      samples.push(...rows);
      await sleep(LAG_EVERY_MS);
    }
    await client.end();
  })();
  const shown = (of: number[]): Step['lagBytes'] => ({ median: percentile(of, 0.5), most: Math.max(...of) });
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return { lagBytes: shown(samples.map(({ bytes }) => bytes)), lagMs: shown(samples.map(({ ms }) => ms)) };
    },
  };
}

/** Copies of the events of logins */
async function fillAudit(db: PostgresServer, email: string): Promise<void> {
  await db.query(
    `insert into audit_events (id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at, written_at)
     select uuidv7(number * interval '1 ms'), 'user_login', 'user', users.id, '203.0.113.7', 'Mozilla/5.0', '{}',
       now() - interval '1 hour', now() - interval '1 hour' + number * interval '1 ms'
     from users, generate_series(1, $2::integer) as number where email = $1`,
    [email, EVENTS],
  );
  await db.query('vacuum analyze audit_events');
}

/** The command, again and again, into nothing */
function startExports(lab: Lab, gateways: Gateways): { stop(): Promise<void> } {
  let isOver = false;
  let running: ChildProcess | undefined;
  lab.defer(() => running?.kill('SIGKILL'));
  const exporting = (async () => {
    while (!isOver) {
      running = spawn('bin/auth-gateway', ['audit', 'export'], { env: gateways.env, stdio: 'ignore' });
      await once(running, 'exit');
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      running?.kill('SIGKILL');
      await exporting;
    },
  };
}

/** What commands that only read take from the primary, and what a replica knows of those who write. */
async function measureReading({ primary, replica, gateways }: Cluster): Promise<Reading> {
  const cpuOf = async (...words: string[]): Promise<number> => {
    const cpu = (): number => cpuMicros(withDescendants(postmasterOf(primary)));
    const before = cpu();
    const command = spawn('bin/auth-gateway', words, { env: gateways.env, stdio: 'ignore' });
    const [code] = (await once(command, 'exit')) as [number];
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
    return cpu() - before;
  };
  const nothing = await cpuOf('cron-key', 'list'); // a connection, and a list that is empty
  const exported = await cpuOf('audit', 'export');
  const listed = await cpuOf('user', 'list');
  const writersSeen = async (db: PostgresServer): Promise<number> => {
    const [row] = await db.query<{ n: number }>(
      "select count(*)::integer as n from pg_locks where relation = 'audit_events'::regclass and mode = 'RowExclusiveLock'",
    );
    return row?.n ?? Number.NaN;
  };
  const writer = await primary.connect();
  await writer.query('begin');
  await writer.query('lock table audit_events in row exclusive mode'); // as an insert does
  const [onPrimary, onReplica] = [await writersSeen(primary), await writersSeen(replica)];
  await writer.query('rollback');
  await writer.end();
  return {
    connectionUs: nothing,
    eventUs: (exported - nothing) / EVENTS,
    listedUserUs: (listed - nothing) / LISTED,
    writersOnPrimary: onPrimary,
    writersOnReplica: onReplica,
  };
}

/** They log in, refresh and log out; the lanes refresh without a pause. */
const [CLIENTS, LANES] = [4, 32];
/** Of each, before the promotion and after it */
const ACKNOWLEDGED = { clients: [300, 100], lanes: [5_000, 1_000] } as const;

/** While people work, the replica takes the primary's place: before that has ended, or after it was killed. */
async function promote(lab: Lab, how: Promotion['how']): Promise<Promotion> {
  const { primary, replica, gateways, instances, email } = await openCluster(lab);
  const { url } = await startReverseProxy(lab, 'haproxy', instances);
  const users = await primary.query<{ email: string }>('select email from users order by email limit $1', [CLIENTS]);
  const clients = startClients(
    [url],
    users.map((user) => user.email),
  );
  const lanes = startLanes(url, await mintSessions(gateways, primary, email, SESSIONS));
  const [workOfClients, workOfLanes] = [ACKNOWLEDGED.clients, ACKNOWLEDGED.lanes];
  await Promise.all([clients.work(workOfClients[0]), lanes.work(workOfLanes[0])]);
  if (how === 'power loss') await primary.program.kill();
  await replica.query('select pg_promote()');
  if (how === 'promoted') await primary.program.kill();
  await Promise.all([clients.work(workOfClients[1]), lanes.work(workOfLanes[1])]);
  await lanes.stop();
  await clients.check();
  await clients.stop();
  const [missing] = await replica.query<{ n: number }>(
    'select count(*)::integer as n from unnest($1::uuid[]) as jti where not exists (select from refresh_tokens as r where r.jti = jti.jti)',
    [lanes.acknowledged],
  );
  const { logins, rotations, logouts, thefts, inDoubt } = clients.journal.promises;
  const violations = [logins, rotations, logouts, thefts].map((each) => each.violations);
  const found = {
    how,
    checked: logins.trials + rotations.trials + logouts.trials + lanes.acknowledged.length,
    lost: violations.reduce((sum, each) => sum + each, missing?.n ?? Number.NaN),
    inDoubt: inDoubt.trials + lanes.inDoubt(),
  };
  lab.say(JSON.stringify(found));
  return found;
}

interface Lanes {
  /** The tokens of which an answer of 200 has come */
  acknowledged: string[];
  /** Requests with another answer or none: their sessions are left alone from then on. */
  inDoubt(): number;
  /** Waits until so many more are acknowledged. */
  work(requests: number): Promise<void>;
  stop(): Promise<void>;
}

/** Presents the tokens one after the other, and their successors in their place. */
function startLanes(url: string, tokens: string[]): Lanes {
  const acknowledged: string[] = [];
  let inDoubt = 0;
  let isOver = false;
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const token = tokens.shift();
      if (token === undefined) throw new Error('no session is left');
      const { status, cookie } = await refresh(url, token).catch(() => ({ status: 0, cookie: undefined }));
      if (status === 200 && cookie !== undefined) {
        acknowledged.push(String(decodeJwt(cookie).jti));
        tokens.push(cookie);
        continue;
      }
      inDoubt += 1;
      await sleep(OUTAGE_PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: LANES }, lane));
  return {
    acknowledged,
    inDoubt: () => inDoubt,
    work: async (requests) => {
      const most = acknowledged.length + requests;
      await Promise.race([until(`${requests} are acknowledged`, () => acknowledged.length >= most), running]);
    },
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
