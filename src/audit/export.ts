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
import { type RawBuilder, sql } from '../db/sql.js';
import { type RowOf, statement } from '../db/statement.js';
import { column, decodeCursor, encodeCursor } from '../listing/keyset.js';
import { AdminRefusal } from '../listing/refusal.js';
import { scan } from '../listing/scan.js';
import { type AuditEventFilter, conditionsOf } from './log.js';
import { NIL, OF_WRITERS, type Position, SETTLED_SECONDS, utc } from './order.js';

export interface ExportRequest extends Omit<AuditEventFilter, 'fromTransaction'> {
  /** A cursor: only later events */
  after?: string | undefined;
}

export interface AuditExport {
  /** The moment to which the log is complete, RFC 3339 in microseconds: the export has no later events */
  until: string;
  /** Of a filter some may be empty */
  pages: AsyncGenerator<ExportedEvent[]>;
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

/** @throws {AdminRefusal} for an invalid cursor, or if a transaction that writes to the log does not end */
export async function exportAudit(
  { db }: { db: Database },
  { since, after, ...filter }: ExportRequest,
  { settledSeconds = SETTLED_SECONDS, patienceMs = PATIENCE_MS } = {},
): Promise<AuditExport> {
  const position = after === undefined ? beginningOf(since) : positionIn(after);
  const isFiltered = Object.values(filter).some((value) => value != null);
  const conditions = isFiltered && (await conditionsOf(db, { ...filter, since }));
  const until = await completeUntil({ db }, settledSeconds, patienceMs);
  return { until, pages: conditions ? matching(db, position, until, conditions) : every(db, position, until, since) };
}

async function* every(
  db: Database,
  after: Position,
  until: string,
  since: Date | null | undefined,
): AsyncGenerator<ExportedEvent[]> {
  for (let position = after; ; ) {
    const rows = await db.admin.run(exportAuditSql, { ...position, until, limit: PAGE_ROWS });
    const asked = rows.filter(({ created_at }) => since == null || created_at >= since);
    if (asked.length > 0) yield asked.map(withCursor);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    position = { at: last.written_at, id: last.id };
  }
}

/** @param conditions of which one must hold */
async function* matching(
  db: Database,
  after: Position,
  until: string,
  conditions: Array<RawBuilder<unknown>>,
): AsyncGenerator<ExportedEvent[]> {
  const pages = scan<Omit<ExportedEvent, 'written_at' | 'cursor'>>(db.admin, {
    table: 'audit_events',
    time: 'written_at',
    columns: sql.raw(COLUMNS),
    after,
    until: sql`written_at < ${until}::timestamptz`,
    where: sql`(${sql.join(conditions, sql` or `)})`,
  });
  for await (const rows of pages) yield rows.map(({ at, ...row }) => withCursor({ ...row, written_at: at }));
}

function withCursor(row: RowOf<typeof exportAuditSql>): ExportedEvent {
  return { ...row, cursor: encodeCursor(row.written_at, row.id, KIND) };
}

function beginningOf(since: Date | null | undefined): Position {
  if (since == null) return BEGINNING;
  return { ...BEGINNING, at: new Date(Math.max(since.getTime() - AHEAD_MS, 0)).toISOString() };
}

/** @throws {AdminRefusal} */
export function positionIn(cursor: string): Position {
  const [at = '', id = NIL] = decodeCursor(ORDER, cursor, 'after');
  return { at, id };
}

const COLUMNS = 'id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at';

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
  select ${COLUMNS}, ${utc('written_at')} as written_at
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
    ${utc('statement_timestamp() - make_interval(secs => :settled_seconds)')} as until,
    coalesce(array_agg(virtualtransaction), '{}') as transactions,
    coalesce(string_agg(coalesce(pid::text, 'a prepared transaction'), ', '), '') as processes
  from pg_locks
  where ${OF_WRITERS}`;

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
