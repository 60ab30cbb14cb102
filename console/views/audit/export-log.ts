/** The shown events of the audit log as a file. */
import type { Event } from '../../events.js';
import { download } from '../../kit/download.js';
import { csvOf, jsonLinesOf } from '../../kit/export.js';

const COLUMNS: ReadonlyArray<[name: string, cell: (event: Event) => string | null | undefined]> = [
  ['id', ({ id }) => id],
  ['created_at', ({ createdAt }) => createdAt],
  ['event_type', ({ eventType }) => eventType],
  ['user_id', ({ userId }) => userId],
  ['user_email', ({ user }) => user?.email],
  ['actor_type', ({ actor }) => actor?.callerType],
  ['actor_id', ({ actor }) => actor?.id],
  ['actor_email', ({ actor }) => actor?.user?.email],
  ['ip_address', ({ ipAddress }) => ipAddress],
  ['user_agent', ({ userAgent }) => userAgent],
  ['entity_type', ({ entityType }) => entityType],
  ['entity_id', ({ entityId }) => entityId],
  ['session_id', ({ sessionId }) => sessionId],
  ['metadata', ({ metadata }) => JSON.stringify(metadata)],
];

export function exportCsv(events: readonly Event[]): void {
  const rows = events.map((event) => COLUMNS.map(([, cell]) => cell(event) ?? ''));
  const header = COLUMNS.map(([name]) => name);
  download(`${fileName()}.csv`, 'text/csv;charset=utf-8', csvOf(header, rows));
}

/** Each event as GraphQL gave it. */
export function exportJsonLines(events: readonly Event[]): void {
  download(`${fileName()}.jsonl`, 'application/jsonl', jsonLinesOf(events));
}

/** `audit-log-2026-11-25T14-07-40Z` */
function fileName(): string {
  return `audit-log-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}
