/** Interface 10: whether requests can be answered now: the database, Redis and the clock, each `ok` or one word. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadOnlyServer } from '../db/hosts.js';
import { schemaState } from '../db/migrate.js';
import { type DatabaseState, databaseStateOf, databaseStateSql } from '../db/state.js';
import { type RedisState, readRedisState } from '../limits/redis.js';
import type { Deps } from '../services.js';
import { createStateLog } from './state-log.js';
import { probeLoginWrites } from './write-probe.js';

export interface Checks {
  database: DatabaseState;
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
/** How long the connections of administration are waited for: dashboards that keep them busy are no outage. */
const ADMIN_WITHIN_MS = 2_000;

/** How far the clocks may be apart before it is told: seconds. */
const SKEW_TOLD_SECONDS = 5;

interface Finding {
  state: DatabaseState;
  error?: unknown;
}

const OK: Finding = { state: 'ok' };
const NO_ANSWER: Finding = { state: 'unreachable' };

export function createReadiness(deps: Deps<'clock' | 'db' | 'fullDisk' | 'log' | 'metrics' | 'redis'>): Readiness {
  const { clock, db, fullDisk, log, metrics, redis } = deps;
  const tellState = createStateLog(log);
  const tellSkew = skewTeller(deps);

  /** Compares the clocks. @returns whether the server takes writes at all */
  const readState = async (): Promise<Finding> => {
    const askedMs = performance.now();
    const [state] = await db.run(databaseStateSql, {}).catch(stateOfReadOnly);
    const tookMs = performance.now() - askedMs;
    if (state === undefined) return NO_ANSWER;
    if (tookMs <= ANSWER_WITHIN_MS) clock.compare(state.now, tookMs / 2);
    tellSkew();
    return state.read_only ? { state: 'read_only' } : OK;
  };
  const checkSchema = async (): Promise<Finding> => ({ state: await schemaState(db.admin) });
  const checkDatabase = async (): Promise<Finding> => {
    const state = await readState();
    if (state.state !== 'ok') return state;
    const [schema, login] = await Promise.all([
      inTime(checkSchema().catch(failed), ADMIN_WITHIN_MS, OK),
      probeLoginWrites(db, redis === undefined).then(() => OK, failed),
    ]);
    return schema.state === 'ok' ? login : schema;
  };
  /** What requests have met counts too, even if the check has not. */
  const believed = (found: Finding): Finding => {
    const error = fullDisk.recentError();
    return found.state === 'ok' && error !== undefined ? failed(error) : found;
  };
  const checkAll = async (): Promise<Checks> => {
    const [found, redisState] = await Promise.all([
      inTime(checkDatabase().catch(failed), ANSWER_WITHIN_MS, NO_ANSWER),
      redis && inTime(readRedisState(redis), ANSWER_WITHIN_MS, 'unreachable'),
    ]);
    const database = believed(found);
    tellState('database', database.state, database.error);
    if (redisState !== undefined) tellState('redis', redisState);
    const isUnknown = database.state === 'unreachable' || clock.skewSeconds() === undefined;
    const checks: Checks = {
      database: database.state,
      clock: isUnknown ? 'unknown' : clock.isSkewed() ? 'skewed' : 'ok',
      ...(redisState && { redis: redisState }),
    };
    for (const [check, word] of Object.entries(checks)) metrics.ready.set({ check }, word === 'ok' ? 1 : 0);
    return checks;
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

const failed = (error: unknown): Finding => ({ state: databaseStateOf(error), error });

/** No connection is made to a server that takes no writes; the refusal tells the time there. */
function stateOfReadOnly(error: unknown): [{ read_only: true; now: Date }] {
  if (error instanceof ReadOnlyServer) return [{ read_only: true, now: error.now }];
  throw error;
}

function inTime<T>(work: Promise<T>, withinMs: number, late: T): Promise<T> {
  return Promise.race([work, sleep(withinMs, late, { ref: false })]);
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
