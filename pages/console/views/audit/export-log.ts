/** The files that the audit log is exported as. */
import { csvOf } from '../../../../src/platform/csv.js';
import { jsonLinesOf } from '../../../kit/export.js';
import type { Format } from '../../../kit/export-all.js';
import type { ExportEventsQuery } from '../../operations.js';

export type ExportedEvent = NonNullable<ExportEventsQuery['auditEvents']>['nodes'][number];

const COLUMNS: ReadonlyArray<[name: string, cell: (event: ExportedEvent) => string | null | undefined]> = [
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

export const FORMATS: ReadonlyArray<Format<ExportedEvent>> = [
  {
    name: 'CSV',
    extension: 'csv',
    type: 'text/csv;charset=utf-8',
    head: csvOf([COLUMNS.map(([name]) => name)]),
    text: (events) => csvOf(events.map((event) => COLUMNS.map(([, cell]) => cell(event) ?? ''))),
  },
  // Each event as GraphQL gave it
  { name: 'JSON lines', extension: 'jsonl', type: 'application/jsonl', head: '', text: jsonLinesOf },
];
