/** Spec 6: writes audit events, each beside the change that it tells of, so that both stand or fall together. */
import { type Db, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import { type AuditedEvent, ENTITY_OF } from './events.js';

/** The columns of an event, as JSON; null where the statement itself finds the metadata. */
interface EventRow {
  id: string;
  event_type: string;
  entity_type: string;
  user_id: string | null;
  ip_address: string;
  user_agent: string | null;
  metadata: object | null;
  created_at: Date;
}

const COLUMNS = [
  'id',
  'event_type',
  'entity_type',
  'user_id',
  'ip_address',
  'user_agent',
  'metadata',
  'created_at',
] as const satisfies Array<keyof EventRow>;

/**
 * `INSERT … SELECT` of the rows in the parameter `:events`, for the statement that makes the change.
 * @param events SQL of a JSON array of rows
 * @param from where that reads other columns: what it reads them from
 */
export function insertEvents(events = ':events', from = ''): string {
  return `insert into audit_events (${COLUMNS.join(', ')})
    select ${COLUMNS.map((column) => `event.${column}`).join(', ')}
    from ${from} jsonb_populate_recordset(null::audit_events, ${events}) as event`;
}

export type EventWithout<Metadata> = Omit<AuditedEvent, 'metadata'> & { metadata: Metadata };

/** The events as `insertEvents` takes them. */
export function eventRows(events: ReadonlyArray<EventWithout<object | null>>, at: Date): EventRow[] {
  return events.map(({ eventType, userId, ipAddress, userAgent, metadata }) => ({
    id: uuidInTimeOrder(at),
    event_type: eventType,
    entity_type: ENTITY_OF[eventType],
    user_id: userId,
    ip_address: ipAddress,
    user_agent: userAgent,
    metadata,
    created_at: at,
  }));
}

const writing = statement('write_audit', { events: 'jsonb' }, {})`${insertEvents()}`;

/** Writes events by themselves, or beside other statements of a transaction. */
export async function writeAudit(db: Db, events: readonly AuditedEvent[], at: Date): Promise<void> {
  if (events.length > 0) await db.run(writing, { events: eventRows(events, at) });
}

const DAY_SECONDS = 86_400;

export function expiredEvents(retentionDays: number): Expiring {
  return expiring('audit_events', 'id', 'created_at < :before', retentionDays * DAY_SECONDS);
}
