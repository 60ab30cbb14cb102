/** CONTRACT 10: whether requests can be answered now: the database, Redis and the clock, each `ok` or one word. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadOnlyServer } from '../db/hosts.js';
import { statement } from '../db/statement.js';
import { type RedisState, stateOfRedis } from '../limits/redis.js';
import type { Deps } from '../parts.js';

export interface Checks {
  database: 'ok' | 'unreachable' | 'read_only';
  /** Only where Redis is configured */
  redis?: RedisState;
  /** `unknown` where the database does not tell the time */
  clock: 'ok' | 'skewed' | 'unknown';
}

export interface Readiness {
  /** Never fails: what cannot be asked is one of the words. */
  check(): Promise<Checks>;
}

/** How long a store may take to answer before it counts as unreachable: milliseconds. */
const ANSWER_WITHIN_MS = 3_000;

/** How far the clocks may be apart before it is told: seconds. */
const SKEW_TOLD_SECONDS = 5;

/** A standby is always read-only, another server where its settings say so. */
const databaseStateSql = statement('database_state', {}, { read_only: 'boolean', now: 'timestamptz' })`
  select current_setting('transaction_read_only') = 'on' as read_only, clock_timestamp() as now`;

export function createReadiness(deps: Deps<'clock' | 'db' | 'log' | 'redis'>): Readiness {
  const { clock, db, redis } = deps;
  const tellSkew = skewTeller(deps);

  const checkDatabase = async (): Promise<Pick<Checks, 'database' | 'clock'>> => {
    const askedMs = performance.now();
    const [state] = await db.run(databaseStateSql, {}).catch(stateOfReadOnly);
    const tookMs = performance.now() - askedMs;
    if (state === undefined) return NO_DATABASE;
    if (tookMs <= ANSWER_WITHIN_MS) clock.compare(state.now, tookMs / 2);
    tellSkew();
    return { database: state.read_only ? 'read_only' : 'ok', clock: clock.isSkewed() ? 'skewed' : 'ok' };
  };
  const checkAll = async (): Promise<Checks> => {
    const [database, redisState] = await Promise.all([
      inTime(
        checkDatabase().catch(() => NO_DATABASE),
        NO_DATABASE,
      ),
      redis && inTime(stateOfRedis(redis), 'unreachable'),
    ]);
    return { ...database, ...(redisState && { redis: redisState }) };
  };
  /** One check serves all who ask meanwhile. */
  let checking: Promise<Checks> | undefined;
  return {
    check: () => {
      checking ??= checkAll().finally(() => {
        checking = undefined;
      });
      return checking;
    },
  };
}

/** No connection is made to a server that takes no writes; the refusal tells the time there. */
function stateOfReadOnly(error: unknown): [{ read_only: true; now: Date }] {
  if (error instanceof ReadOnlyServer) return [{ read_only: true, now: error.now }];
  throw error;
}

const NO_DATABASE = { database: 'unreachable', clock: 'unknown' } as const;

function inTime<T>(work: Promise<T>, late: T): Promise<T> {
  return Promise.race([work, sleep(ANSWER_WITHIN_MS, late, { ref: false })]);
}

/** Tells in the log when the clocks part and when they agree again. A skew is positive where the clock here is ahead. */
function skewTeller({ clock, log }: Deps<'clock' | 'log'>): () => void {
  let told: 'close' | 'apart' | 'far apart' = 'close';
  return () => {
    const skewSeconds = clock.skewSeconds() ?? 0;
    const now = clock.isSkewed() ? 'far apart' : Math.abs(skewSeconds) > SKEW_TOLD_SECONDS ? 'apart' : 'close';
    if (now === told) return;
    told = now;
    const level = now === 'close' ? 'info' : 'warn';
    log[level]({ clock_skew_seconds: skewSeconds }, `the clock here and that of the database are ${now}`);
  };
}
