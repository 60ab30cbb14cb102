/**
 * The audit log for programs that resume where they stopped. Each event is exported exactly once, although instances
 * commit events out of order. (Interface 9)
 *
 * Events are ordered by `written_at`, the database's clock at the insert. By then the transaction holds a lock on the
 * table, which it keeps until it ends. So every event up to a moment was written by a transaction that held the lock at
 * that moment or had ended by then. Once all those lock holders have ended, the log up to that moment is complete.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.js';
import { type RowOf, statement } from '../db/statement.js';
import { column, decodeCursor, encodeCursor } from '../listing/keyset.js';
import { AdminRefusal } from '../listing/refusal.js';
import { NIL, type Position, SETTLED_SECONDS } from './order.js';

export interface ExportRequest {
  /** Inclusive */
  since?: Date | undefined;
  /** A cursor: only later events */
  after?: string | undefined;
}

export type ExportedEvent = RowOf<typeof exportAuditSql> & { cursor: string };

/** How long to wait for transactions that are writing; the longest may take 20 s. */
const PATIENCE_MS = 30_000;
const RECHECK_MS = 50;
const PAGE_ROWS = 1_000;
/** How far the clock of an instance may be ahead: then `created_at` is later than `written_at`. */
const AHEAD_MS = 3_600_000;

/** Last part of the cursors, so that those of other listings are refused. */
export const KIND = 'written';
const ORDER = { columns: [column('written_at', 'timestamptz'), column('id', 'uuid')], name: KIND };
const BEGINNING: Position = { at: '-infinity', id: NIL };

/** Yields pages, none of them empty, up to the moment to which the log is complete. @throws {AdminRefusal} */
export async function* exportAudit(
  { db }: { db: Database },
  { since, after }: ExportRequest,
  { settledSeconds = SETTLED_SECONDS, patienceMs = PATIENCE_MS } = {},
): AsyncGenerator<ExportedEvent[]> {
  let position = after === undefined ? beginningOf(since) : positionIn(after);
  const until = await completeUntil({ db }, settledSeconds, patienceMs);
  for (;;) {
    const rows = await db.admin.run(exportAuditSql, { ...position, until, limit: PAGE_ROWS });
    const events = rows.map((row) => ({ ...row, cursor: encodeCursor(row.written_at, row.id, ORDER.name) }));
    const asked = events.filter(({ created_at }) => since === undefined || created_at >= since);
    if (asked.length > 0) yield asked;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    position = { at: last.written_at, id: last.id };
  }
}

function beginningOf(since: Date | undefined): Position {
  if (since === undefined) return BEGINNING;
  return { ...BEGINNING, at: new Date(Math.max(since.getTime() - AHEAD_MS, 0)).toISOString() };
}

/** @throws {AdminRefusal} */
export function positionIn(cursor: string): Position {
  const [at = '', id = NIL] = decodeCursor(ORDER, cursor, 'after');
  return { at, id };
}

const exportAuditSql = statement(
  'export_audit',
  { at: 'text', id: 'uuid', until: 'text', limit: 'integer' },
  {
    id: 'uuid',
    event_type: 'text',
    entity_type: 'text',
    user_id: 'uuid?',
    ip_address: 'text',
    user_agent: 'text?',
    metadata: 'jsonb',
    created_at: 'timestamptz',
    written_at: 'text',
  },
)`
  select id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at,
    to_char(written_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as written_at
  from audit_events
  where (audit_events.written_at, id) > (:at::timestamptz, :id) and audit_events.written_at < :until::timestamptz
  order by audit_events.written_at, id limit :limit`;

/** Transactions that hold a write lock on the table, and a time just before the locks were read. */
const writersSql = statement(
  'audit_writers',
  { settled_seconds: 'integer' },
  { until: 'text', transactions: 'text[]', processes: 'text' },
)`
  select
    (statement_timestamp() - make_interval(secs => :settled_seconds))::text as until,
    coalesce(array_agg(virtualtransaction), '{}') as transactions,
    coalesce(string_agg(coalesce(pid::text, 'a prepared transaction'), ', '), '') as processes
  from pg_locks
  where locktype = 'relation' and relation = 'audit_events'::regclass and mode = 'RowExclusiveLock' and granted
    and database = (select oid from pg_database where datname = current_database())`;

/** @throws {AdminRefusal} if a transaction does not end */
async function completeUntil({ db }: { db: Database }, settledSeconds: number, patienceMs: number): Promise<string> {
  const readWriters = async () => {
    const [seen = { until: '', transactions: [], processes: '' }] = await db.admin.run(writersSql, {
      settled_seconds: settledSeconds,
    });
    return seen;
  };
  const started = performance.now();
  const { until, transactions } = await readWriters();
  for (let left = transactions; left.length > 0; await sleep(RECHECK_MS)) {
    const now = await readWriters();
    left = left.filter((transaction) => now.transactions.includes(transaction));
    if (left.length > 0 && performance.now() - started > patienceMs)
      throw new AdminRefusal('too_much_to_read', stuck(now.processes));
  }
  return until;
}

function stuck(processes: string): string {
  return `a transaction that has written to the audit log does not end (server process ${processes}): nothing was exported, try again later`;
}
