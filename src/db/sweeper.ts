/** Deletes rows whose time is over, in small batches that step around each other (SKIP LOCKED). */
import { addSeconds } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import type { WatchedClock } from '../platform/watched-clock.js';
import { type Db, type Statement, statement } from './statement.js';

const EVERY_MS = 60_000;
const BATCH_ROWS = 1_000;

/** What is swept from a table; its owner says so. */
export interface Expiring {
  table: string;
  /** How long a row stays after its time: seconds */
  keptSeconds: number;
  /** Deletes a batch, and counts it */
  batch: Statement<{ before: 'timestamptz'; limit: 'integer' }, { deleted: 'integer' }>;
}

/**
 * @param key the columns of the primary key
 * @param isOver SQL of a condition on `:before`, the instant that is `keptSeconds` ago
 */
export function expiring(table: string, key: string, isOver: string, keptSeconds = 0): Expiring {
  const batch = statement(`sweep_${table}`, { before: 'timestamptz', limit: 'integer' }, { deleted: 'integer' })`
    with swept as (
      delete from ${table} where (${key}) in (
        select ${key} from ${table} where ${isOver} limit :limit for update skip locked
      )
      returning 1
    )
    select count(*)::integer as deleted from swept`;
  return { table, keptSeconds, batch };
}

/** One pass over every table. @returns rows deleted, by table */
export async function sweep(
  db: Db,
  everything: readonly Expiring[],
  now: Date,
  proceed: () => boolean = () => true,
): Promise<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const { table, keptSeconds, batch } of everything) {
    let rows = BATCH_ROWS;
    while (rows === BATCH_ROWS && proceed()) {
      const [{ deleted } = { deleted: 0 }] = await db.run(batch, {
        before: addSeconds(now, -keptSeconds),
        limit: BATCH_ROWS,
      });
      rows = deleted;
      total[table] = (total[table] ?? 0) + rows;
    }
  }
  return total;
}

export interface Sweeper {
  /** Stops after the batch in hand. */
  stop(): Promise<void>;
}

/** Sweeps every minute while the process runs. */
export function startSweeper(
  { clock, db, log, metrics }: { clock: WatchedClock; db: Db; log: Logger; metrics: Metrics },
  everything: readonly Expiring[],
): Sweeper {
  for (const { table } of everything) metrics.sweptRows.inc({ table }, 0);
  let stopped = false;
  let running: Promise<void> | undefined;
  const pass = async (): Promise<void> => {
    try {
      const deleted = await sweep(db, everything, clock.now(), () => !stopped && !clock.isSkewed());
      for (const [table, rows] of Object.entries(deleted)) metrics.sweptRows.inc({ table }, rows);
    } catch (error) {
      log.warn({ error: describeError(error) }, 'sweeping failed; it is tried again in a minute');
    }
  };
  const timer = setInterval(() => {
    running ??= pass().finally(() => {
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
