/** Deletes what has expired, in small batches that step around each other (SKIP LOCKED). */
import { sql } from 'kysely';
import { addSeconds, type Clock } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import type { Database } from './database.js';

const EVERY_MS = 60_000;
const BATCH_ROWS = 1_000;
const DAY_SECONDS = 86_400;

interface Rule {
  table: string;
  key: string[];
  /** Rows for which this holds are deleted. */
  expired(now: Date): ReturnType<typeof sql>;
}

/**
 * Used refresh tokens stay until they expire (and a day more), or their reuse would read "not recognised" instead of
 * theft.
 */
function rules(auditRetentionDays: number): Rule[] {
  return [
    { table: 'refresh_tokens', key: ['jti'], expired: (now) => sql`expires_at < ${addSeconds(now, -DAY_SECONDS)}` },
    { table: 'signature_nonces', key: ['key_id', 'nonce'], expired: (now) => sql`expires_at < ${now}` },
    { table: 'rate_limits', key: ['key'], expired: (now) => sql`expire < ${now.getTime()}` },
    {
      table: 'audit_events',
      key: ['id'],
      expired: (now) => sql`created_at < ${addSeconds(now, -auditRetentionDays * DAY_SECONDS)}`,
    },
  ];
}

/** One pass over every table. @returns rows deleted, by table */
export async function sweep(
  db: Database,
  auditRetentionDays: number,
  now: Date,
  proceed: () => boolean = () => true,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const { table, key, expired } of rules(auditRetentionDays)) {
    let batch = BATCH_ROWS;
    while (batch === BATCH_ROWS && proceed()) {
      const id = sql.join(key.map((column) => sql.ref(column)));
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where (${id}) in (
          select ${id} from ${sql.table(table)} where ${expired(now)} limit ${BATCH_ROWS} for update skip locked
        )`.execute(db.sql);
      batch = Number(numAffectedRows);
      deleted[table] = (deleted[table] ?? 0) + batch;
    }
  }
  return deleted;
}

export interface Sweeper {
  /** Stops after the batch in hand. */
  stop(): Promise<void>;
}

/** Sweeps every minute while the process runs. */
export function startSweeper(
  { clock, db, log, metrics }: { clock: Clock; db: Database; log: Logger; metrics: Metrics },
  auditRetentionDays: number,
): Sweeper {
  let stopped = false;
  let running = Promise.resolve();
  const pass = async (): Promise<void> => {
    try {
      const deleted = await sweep(db, auditRetentionDays, clock.now(), () => !stopped);
      for (const [table, rows] of Object.entries(deleted)) metrics.sweptRows.inc({ table }, rows);
    } catch (error) {
      log.warn({ error: describeError(error) }, 'sweeping failed; it is tried again in a minute');
    }
  };
  let sweeping = false;
  const timer = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    running = pass().finally(() => {
      sweeping = false;
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
