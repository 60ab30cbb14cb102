/** Deletes rows whose time is over, little by little, in batches that step around each other (SKIP LOCKED). */
import { epochSeconds } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import type { WatchedClock } from '../platform/watched-clock.js';
import { type Db, type Statement, statement } from './statement.js';

const EVERY_MS = 60_000;
const BATCH_ROWS = 1_000;

/**
 * How much of a table one round deletes at most, so that a wrong limit erases little before somebody looks: of rows that
 * are kept for a time, two in a thousand, which is three times what a table can grow by whose rows are kept for a day.
 * Of rows that are worth nothing once they are over, a fifth: a table never holds more of them than five rounds bring.
 */
const SHARE_OF_KEPT = 0.002;
const SHARE = 0.2;
/** The same of a table that is small, or that PostgreSQL has not analyzed yet. */
const ROUND_ROWS = 100;

/** What is swept from a table; its owner says so. */
export interface Expiring {
  table: string;
  /** Counts what one round may delete */
  allowance: Statement<Record<never, never>, { rows: 'integer' }>;
  /** Deletes a batch, and counts it */
  batch: Statement<{ now: 'timestamptz'; limit: 'integer' }, { deleted: 'integer' }>;
}

/**
 * @param key the columns of the primary key
 * @param isOver SQL of a condition on `:before`, the instant that is `keptSeconds` ago by the earlier of two clocks, that
 *   of the database and `:now`: both must agree that a row is over
 */
export function expiring(table: string, key: string, isOver: string, keptSeconds = 0): Expiring {
  const before = `(least(now(), :now) - make_interval(secs => ${keptSeconds}))`;
  const batch = statement(`sweep_${table}`, { now: 'timestamptz', limit: 'integer' }, { deleted: 'integer' })`
    with swept as (
      delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${isOver.replaceAll(':before', before)} limit :limit for update skip locked
      )
      returning 1
    )
    select count(*)::integer as deleted from swept`;
  const share = keptSeconds > 0 ? SHARE_OF_KEPT : SHARE;
  const allowance = statement(`sweep_allowance_${table}`, {}, { rows: 'integer' })`
    select greatest(${share} * reltuples, ${ROUND_ROWS})::integer as rows from pg_class where oid = '${table}'::regclass`;
  return { table, allowance, batch };
}

/** One round over every table. @returns rows deleted, by table */
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

/** A round, but for an instance whose clock is skewed. */
export async function sweepRound(
  { clock, db, log, metrics }: SweeperDeps,
  everything: readonly Expiring[],
  proceed: () => boolean = () => true,
): Promise<void> {
  const mayGoOn = (): boolean => proceed() && !clock.isSkewed();
  try {
    const deleted = await sweep(db, everything, clock.now(), mayGoOn);
    for (const [table, rows] of Object.entries(deleted)) metrics.sweptRows.inc({ table }, rows);
    if (mayGoOn()) metrics.lastSweep.set(epochSeconds(clock.now()));
  } catch (error) {
    log.warn({ error: describeError(error) }, 'sweeping failed; it is tried again in a minute');
  }
}

export interface Sweeper {
  /** Stops after the batch in hand. */
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
  }, EVERY_MS);
  timer.unref();
  return {
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
