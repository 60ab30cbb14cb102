/** Deletes expired rows in small batches; instances do not block each other (SKIP LOCKED). */
import { epochSeconds } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import type { WatchedClock } from '../platform/watched-clock.js';
import { type Db, type Statement, statement } from './statement.js';

const INTERVAL_MS = 60_000;
const BATCH_ROWS = 1_000;

/**
 * The largest share of a table that one round deletes, so that a wrong retention erases little before somebody notices.
 * Retained rows: three times the growth per round of a table whose rows are retained for a day.
 */
const RETAINED_SHARE = 0.002;
/** Rows that are worthless once expired: a table holds at most those of five rounds. */
const SHARE = 0.2;
/** At least this many, also if PostgreSQL has not analyzed the table yet. */
const ROUND_ROWS = 100;

/** Expired rows of a table, declared next to the table's statements. */
export interface Expiring {
  table: string;
  /** How many rows one round may delete */
  allowance: Statement<Record<never, never>, { rows: 'integer' }>;
  /** Deletes a batch and counts its rows */
  batch: Statement<{ now: 'timestamptz'; limit: 'integer' }, { deleted: 'integer' }>;
}

/**
 * @param key columns of the primary key
 * @param isOver SQL of a condition on `:before`, the instant `retainedSeconds` ago by the slower of two clocks, the
 *   database's and `:now`, so that both agree that a row has expired
 */
export function expiring(table: string, key: string, isOver: string, retainedSeconds = 0): Expiring {
  const before = `(least(now(), :now) - make_interval(secs => ${retainedSeconds}))`;
  const batch = statement(`sweep_${table}`, { now: 'timestamptz', limit: 'integer' }, { deleted: 'integer' })`
    with swept as (
      delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${isOver.replaceAll(':before', before)} limit :limit for update skip locked
      )
      returning 1
    )
    select count(*)::integer as deleted from swept`;
  const share = retainedSeconds > 0 ? RETAINED_SHARE : SHARE;
  const allowance = statement(`sweep_allowance_${table}`, {}, { rows: 'integer' })`
    select greatest(${share} * reltuples, ${ROUND_ROWS})::integer as rows from pg_class where oid = '${table}'::regclass`;
  return { table, allowance, batch };
}

/** One round over all tables. @returns deleted rows by table */
export async function sweep(
  db: Db,
  everything: readonly Expiring[],
  now: Date,
  proceed: () => boolean = () => true,
): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const { table, allowance, batch } of everything) {
    if (!proceed()) break;
    let [{ rows: left } = { rows: 0 }] = await db.run(allowance, {});
    while (left > 0 && proceed()) {
      const limit = Math.min(left, BATCH_ROWS);
      const [{ deleted } = { deleted: 0 }] = await db.run(batch, { now, limit });
      total[table] = (total[table] ?? 0) + deleted;
      left = deleted < limit ? 0 : left - deleted;
    }
  }
  return total;
}

type SweeperDeps = { clock: WatchedClock; db: Db; log: Logger; metrics: Metrics };

/** One round, unless the clock of this instance is skewed. */
export async function sweepRound(
  { clock, db, log, metrics }: SweeperDeps,
  everything: readonly Expiring[],
  proceed: () => boolean = () => true,
): Promise<void> {
  const mayProceed = (): boolean => proceed() && !clock.isSkewed();
  try {
    const deleted = await sweep(db, everything, clock.now(), mayProceed);
    for (const [table, rows] of Object.entries(deleted)) metrics.sweptRows.inc({ table }, rows);
    if (mayProceed()) metrics.lastSweep.set(epochSeconds(clock.now()));
  } catch (error) {
    log.warn({ error: describeError(error) }, 'sweeping failed; it will be retried in a minute');
  }
}

export interface Sweeper {
  /** Stops after the current batch. */
  stop(): Promise<void>;
}

/** Sweeps every minute while the process runs. */
export function startSweeper(deps: SweeperDeps, everything: readonly Expiring[]): Sweeper {
  for (const { table } of everything) deps.metrics.sweptRows.inc({ table }, 0);
  deps.metrics.lastSweep.set(epochSeconds(deps.clock.now()));
  let stopped = false;
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= sweepRound(deps, everything, () => !stopped).finally(() => {
      running = undefined;
    });
  }, INTERVAL_MS);
  timer.unref();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
