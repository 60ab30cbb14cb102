/** Writes audit events in the statement or transaction of the change that they report. (Spec 6) */
import { type Db, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import { type AuditedEvent, ENTITY_OF } from './events.js';

const COLUMNS = 'id, event_type, entity_type, user_id, ip_address, user_agent, metadata, created_at';

/**
 * SQL that inserts the rows in the parameter `:events`, for the statement that makes the change.
 * @param events SQL of a JSON array of rows
 * @param from tables that this SQL reads; none has a column of these names
 */
export function insertEvents(events = ':events', ...from: string[]): string {
  const sources = [...from, `jsonb_populate_recordset(null::audit_events, ${events})`];
  return `insert into audit_events (${COLUMNS}) select ${COLUMNS} from ${sources.join(', ')}`;
}

/** An event whose statement may add to the metadata. */
export type EventToWrite = Omit<AuditedEvent, 'metadata'> & { metadata: object | null };

/** The value of `:events`. */
export function eventRows(events: readonly EventToWrite[], at: Date) {
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

const writeAuditSql = statement('write_audit', { events: 'jsonb' }, {})`${insertEvents()}`;

export async function writeAudit(db: Db, events: readonly AuditedEvent[], at: Date): Promise<void> {
  if (events.length > 0) await db.run(writeAuditSql, { events: eventRows(events, at) });
}

const DAY_SECONDS = 86_400;

export function expiredEvents(retentionDays: number): Expiring {
  return expiring('audit_events', 'id', 'created_at < :before', retentionDays * DAY_SECONDS);
}
