/** Checks whether requests can be answered now: the database, Redis and the clock, each `ok` or one word. (Interface 10) */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadOnlyServer } from '../db/hosts.js';
import { schemaState } from '../db/migrate.js';
import { type DatabaseState, databaseStateOf, databaseStateSql } from '../db/state.js';
import { type RedisState, readRedisState } from '../rate-limits/redis.js';
import type { Deps } from '../services.js';
import { describeClocks } from './clocks.js';
import { createStateLog } from './state-log.js';
import { probeLoginWrites } from './write-probe.js';

export interface Checks {
  database: DatabaseState;
  /** Only if Redis is configured */
  redis?: RedisState;
  /** `unknown` if the database does not give the time */
  clock: 'ok' | 'skewed' | 'unknown';
}

export interface Readiness {
  /** Never fails: there is a word for each failure. */
  check(): Promise<Checks>;
}

/** How long a store may take to answer before it counts as unreachable: milliseconds. */
const ANSWER_WITHIN_MS = 3_000;
/** How long to wait for a connection of administration: milliseconds. Dashboards that occupy them all are not an outage. */
const ADMIN_WITHIN_MS = 2_000;

/** A difference between the clocks that is larger than this is logged: seconds. */
export const SKEW_LOGGED_SECONDS = 5;

interface Finding {
  state: DatabaseState;
  error?: unknown;
}

const OK: Finding = { state: 'ok' };
const NO_ANSWER: Finding = { state: 'unreachable' };

export function createReadiness(deps: Deps<'clock' | 'db' | 'fullDisk' | 'log' | 'metrics' | 'redis'>): Readiness {
  const { clock, db, fullDisk, log, metrics, redis } = deps;
  const logState = createStateLog(log);
  const logSkew = createSkewLog(deps);

  /** Also compares the clocks. @returns whether the server takes writes at all */
  const readState = async (): Promise<Finding> => {
    const askedMs = performance.now();
    const [state] = await db.run(databaseStateSql, {}).catch(stateOfReadOnly);
    const tookMs = performance.now() - askedMs;
    if (state === undefined) return NO_ANSWER;
    if (tookMs <= ANSWER_WITHIN_MS) clock.compare(state.now, tookMs / 2);
    logSkew();
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
  /** A full disk that requests have met counts, even if the check has not met it. */
  const withFullDisk = (found: Finding): Finding => {
    const error = fullDisk.recentError();
    return found.state === 'ok' && error !== undefined ? failed(error) : found;
  };
  const checkAll = async (): Promise<Checks> => {
    const [found, redisState] = await Promise.all([
      inTime(checkDatabase().catch(failed), ANSWER_WITHIN_MS, NO_ANSWER),
      redis && inTime(readRedisState(redis), ANSWER_WITHIN_MS, 'unreachable'),
    ]);
    const database = withFullDisk(found);
    logState('database', database.state, database.error);
    if (redisState !== undefined) logState('redis', redisState);
    const isUnknown = database.state === 'unreachable' || clock.skewSeconds() === undefined;
    const checks: Checks = {
      database: database.state,
      clock: isUnknown ? 'unknown' : clock.isSkewed() ? 'skewed' : 'ok',
      ...(redisState && { redis: redisState }),
    };
    for (const [check, word] of Object.entries(checks)) metrics.ready.set({ check }, word === 'ok' ? 1 : 0);
    return checks;
  };
  /** All callers during a check share it. */
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

/** There is no connection to a server that takes no writes, but the error has its time. */
function stateOfReadOnly(error: unknown): [{ read_only: true; now: Date }] {
  if (error instanceof ReadOnlyServer) return [{ read_only: true, now: error.now }];
  throw error;
}

function inTime<T>(work: Promise<T>, withinMs: number, late: T): Promise<T> {
  return Promise.race([work, sleep(withinMs, late, { ref: false })]);
}

/** Logs when the clocks part and when they agree again. A skew is positive if the clock here is ahead. */
function createSkewLog({ clock, log }: Deps<'clock' | 'log'>): () => void {
  let logged: 'close' | 'apart' | 'far apart' = 'close';
  return () => {
    const readings = clock.readings();
    if (readings === undefined) return;
    const { here, database, ahead_seconds, meaning } = describeClocks(readings);
    const now = clock.isSkewed() ? 'far apart' : Math.abs(ahead_seconds) > SKEW_LOGGED_SECONDS ? 'apart' : 'close';
    if (now === logged) return;
    logged = now;
    const msg = `the clock here and that of the database are ${now}`;
    const skew = { clock_skew_seconds: ahead_seconds };
    if (now === 'close') log.info(skew, msg);
    else log.warn({ ...skew, clock_here: here, clock_database: database, meaning }, msg);
  };
}
