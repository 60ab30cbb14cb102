/** Deletes expired rows in small batches; instances do not block each other (SKIP LOCKED). */

import type { Metrics } from '../metrics.js';
import { epochSeconds } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import type { WatchedClock } from '../platform/watched-clock.js';
import { type Db, statement } from './statement.js';

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

/** A table that is read in the order of its key is read once in this many rounds: a day. */
const ROUNDS_A_PASS = 1_440;

/** Expired rows of a table, declared next to the table's statements. */
export interface Expiring {
  table: string;
  /** Deletes as many as one round may. @returns how many */
  sweep(db: Db, now: Date, proceed: () => boolean): Promise<number>;
}

/** SQL of the instant `seconds` ago by the slower of two clocks, the database's and `:now`: both agree that a row is over. */
const before = (seconds: number): string => `(least(now(), :now) - make_interval(secs => ${seconds}))`;

/** How many rows of a table one round may delete, and how many it may read in the order of the key */
function allowanceOf(table: string, retainedSeconds: number) {
  const share = retainedSeconds > 0 ? RETAINED_SHARE : SHARE;
  return statement(`sweep_allowance_${table}`, {}, { deleted: 'integer', read: 'integer' })`
    select greatest(${share} * reltuples, ${ROUND_ROWS})::integer as deleted,
      greatest(reltuples / ${ROUNDS_A_PASS}, ${BATCH_ROWS})::integer as read
    from pg_class where oid = '${table}'::regclass`;
}

/**
 * Rows that an index finds by their age.
 * @param key columns of the primary key
 * @param isOver SQL of a condition on `:before`
 * @param retainedSeconds how long before now `:before` is
 */
export function expiring(table: string, key: string, isOver: string, retainedSeconds = 0): Expiring {
  const allowanceSql = allowanceOf(table, retainedSeconds);
  const batchSql = statement(`sweep_${table}`, { now: 'timestamptz', limit: 'integer' }, { deleted: 'integer' })`
    with swept as (
      delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${isOver.replaceAll(':before', before(retainedSeconds))}
        limit :limit for update skip locked
      )
      returning 1
    )
    select count(*)::integer as deleted from swept`;
  return {
    table,
    sweep: async (db, now, proceed) => {
      const [allowance] = await db.run(allowanceSql, {});
      let total = 0;
      let left = allowance?.deleted ?? 0;
      while (left > 0 && proceed()) {
        const limit = Math.min(left, BATCH_ROWS);
        const [{ deleted } = { deleted: 0 }] = await db.run(batchSql, { now, limit });
        total += deleted;
        left = deleted < limit ? 0 : left - deleted;
      }
      return total;
    },
  };
}

/** Before every other UUID */
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * As `expiring`, for a table that is written so often that an index of the age would cost too much. Each round reads the next
 * rows in the order of the key, so that all are read in a day: an expired row is deleted a day late at most.
 * @param key column of the primary key, a UUID
 */
export function expiringInKeyOrder(table: string, key: string, isOver: string, retainedSeconds: number): Expiring {
  const allowanceSql = allowanceOf(table, retainedSeconds);
  const batchSql = statement(
    `sweep_${table}`,
    { now: 'timestamptz', limit: 'integer', after: 'uuid' },
    { deleted: 'integer', read: 'integer', last: 'uuid?' },
  )`
    with rows as materialized (
      select ${key}, ${isOver.replaceAll(':before', before(retainedSeconds))} as is_over
      from ${table} where ${key} > :after order by ${key} limit :limit
    ), swept as (
      delete from ${table} where ${key} in (
        select ${key} from ${table} where ${key} = any(array(select ${key} from rows where is_over))
        for update skip locked
      )
      returning 1
    )
    select (select count(*) from swept)::integer as deleted, count(*)::integer as read,
      (select ${key} from rows order by ${key} desc limit 1) as last
    from rows`;
  let after = NIL;
  return {
    table,
    sweep: async (db, now, proceed) => {
      const [allowance = { deleted: 0, read: 0 }] = await db.run(allowanceSql, {});
      let total = 0;
      let left = allowance.read;
      while (left > 0 && total < allowance.deleted && proceed()) {
        const limit = Math.min(left, allowance.deleted - total, BATCH_ROWS);
        const [{ deleted, read, last } = { deleted: 0, read: 0, last: null }] = await db.run(batchSql, {
          now,
          limit,
          after,
        });
        total += deleted;
        left = read < limit ? 0 : left - read;
        after = read < limit ? NIL : (last ?? NIL);
      }
      return total;
    },
  };
}

/** One round over all tables. @returns deleted rows by table */
export async function sweep(
  db: Db,
  everything: readonly Expiring[],
  now: Date,
  proceed: () => boolean = () => true,
): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const { table, sweep: sweepTable } of everything) {
    if (!proceed()) break;
    total[table] = await sweepTable(db, now, proceed);
  }
  return total;
}

type SweeperDeps = { clock: WatchedClock; db: Db; log: Logger; metrics: Metrics };

/**
 * One round, unless the clock of this instance is skewed.
 * @param measure what is measured as often as rows are swept
 */
export async function sweepRound(
  { clock, db, log, metrics }: SweeperDeps,
  everything: readonly Expiring[],
  proceed: () => boolean = () => true,
  measure: () => Promise<void> = async () => undefined,
): Promise<void> {
  const mayProceed = (): boolean => proceed() && !clock.isSkewed();
  try {
    const deleted = await sweep(db, everything, clock.now(), mayProceed);
    for (const [table, rows] of Object.entries(deleted)) metrics.sweptRows.inc({ table }, rows);
    if (!mayProceed()) return;
    metrics.lastSweep.set(epochSeconds(clock.now()));
    await measure();
  } catch (error) {
    log.warn({ error: describeError(error) }, 'sweeping failed; it will be retried in a minute');
  }
}

export interface Sweeper {
  /** Stops after the current batch. */
  stop(): Promise<void>;
}

/** Sweeps and measures every minute while the process runs. */
export function startSweeper(
  deps: SweeperDeps,
  everything: readonly Expiring[],
  measure: () => Promise<void>,
): Sweeper {
  for (const { table } of everything) deps.metrics.sweptRows.inc({ table }, 0);
  deps.metrics.lastSweep.set(epochSeconds(deps.clock.now()));
  let stopped = false;
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= sweepRound(deps, everything, () => !stopped, measure).finally(() => {
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
