/**
 * Interface 9: the audit log for programs that go on where they stopped: every event once, though instances commit events
 * out of order.
 *
 * An event has the time at which the database wrote it, `written_at`, and events come in this order. It is the clock of
 * the database at the insert, when the transaction has locked the table already, and keeps the lock until it has ended.
 * So what is written at a moment or before is of a transaction that had the lock then. Once all of those have ended,
 * nothing can come in before that moment any more, and what is there up to it is complete.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.js';
import { type RowOf, statement } from '../db/statement.js';
import { decodeTimeCursor, encodeCursor } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';

export interface ExportRequest {
  /** Events that happened then or later */
  since?: Date | undefined;
  /** The cursor of an event: those behind it */
  after?: string | undefined;
}

export type ExportedEvent = RowOf<typeof exportAuditSql> & { cursor: string };

/** How much the clock of the database may go back, or lag in the server that follows a failed one: seconds. */
const SETTLED_SECONDS = 10;
/** How long is waited for transactions that have begun to write, of which the longest takes 20 s: milliseconds. */
const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 50;
const PAGE_ROWS = 1_000;
/** By how much an event may say that it happened after it was written, as of a clock that is ahead: milliseconds. */
const AHEAD_MS = 3_600_000;

/** What cursors of an export have behind the id, so that those of other listings are refused. */
const KIND = 'written';
const BEGINNING = { time: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** Written since, up to where nothing is missing: page after page, none of which is empty. @throws {AdminRefusal} */
export async function* exportAudit(
  { db }: { db: Database },
  { since, after }: ExportRequest,
  { settledSeconds = SETTLED_SECONDS, patienceMs = PATIENCE_MS } = {},
): AsyncGenerator<ExportedEvent[]> {
  let place = after === undefined ? beginningOf(since) : placeOf(after);
  const until = await completeUntil({ db }, settledSeconds, patienceMs);
  for (;;) {
    const rows = await db.admin.run(exportAuditSql, { ...place, until, limit: PAGE_ROWS });
    const events = rows.map((row) => ({ ...row, cursor: encodeCursor(row.written_at, row.id, KIND) }));
    const asked = events.filter(({ created_at }) => since === undefined || created_at >= since);
    if (asked.length > 0) yield asked;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    place = { time: last.written_at, id: last.id };
  }
}

/** Not the very beginning: the log is long. */
function beginningOf(since: Date | undefined): typeof BEGINNING {
  if (since === undefined) return BEGINNING;
  return { ...BEGINNING, time: new Date(Math.max(since.getTime() - AHEAD_MS, 0)).toISOString() };
}

/** @throws {AdminRefusal} */
function placeOf(cursor: string): typeof BEGINNING {
  const { exactly, rest } = decodeTimeCursor(cursor, isUuid, (kind) => kind === KIND);
  return { time: exactly, id: rest[0] ?? '' };
}

const exportAuditSql = statement(
  'export_audit',
  { time: 'text', id: 'uuid', until: 'text', limit: 'integer' },
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
  where (audit_events.written_at, id) > (:time::timestamptz, :id) and audit_events.written_at < :until::timestamptz
  order by audit_events.written_at, id limit :limit`;

/** The time of this statement's beginning, which is before it reads the locks; and who had locked the table for writing. */
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

/** @throws {AdminRefusal} where somebody goes on writing for too long */
async function completeUntil({ db }: { db: Database }, settledSeconds: number, patienceMs: number): Promise<string> {
  const look = async () => {
    const [seen = { until: '', transactions: [], processes: '' }] = await db.admin.run(writersSql, {
      settled_seconds: settledSeconds,
    });
    return seen;
  };
  const started = performance.now();
  const { until, transactions } = await look();
  for (let left = transactions; left.length > 0; await sleep(LOOK_AGAIN_MS)) {
    const now = await look();
    left = left.filter((transaction) => now.transactions.includes(transaction));
    if (left.length > 0 && performance.now() - started > patienceMs)
      throw new AdminRefusal('too_much_to_read', stuck(now.processes));
  }
  return until;
}

function stuck(processes: string): string {
  return `a transaction that has written to the audit log does not end (server process ${processes}): nothing was exported, try again later`;
}
