/** Spec 6: audit events, a union on the event type, each with its exact metadata. */
import { type RawBuilder, sql } from 'kysely';
import type { Sql } from '../db/database.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import type { Role } from '../roles.js';

/** Who made an administrative change. */
export type Actor =
  | { caller_type: 'user'; sub: string }
  | { caller_type: 'api_key' | 'cron'; key_id: string }
  | { caller_type: 'cli' };

interface From<Type extends string, Metadata> {
  eventType: Type;
  userId: string | null;
  ipAddress: string;
  userAgent: string | null;
  metadata: Metadata;
}

/** The table of Spec 6, a member a row. */
export type AuthEvent =
  | From<'account_locked', { locked_until: string }>
  | From<'login_failure', { reason: 'invalid_credentials'; email: string }>
  | From<'login_success', { role: Role }>
  | From<'token_theft', { reused_jti: string; family_id: string }>
  | (From<'logout', { jti: string }> & { userAgent: null });

/** Administrative changes (CONTRACT 11), verb last; `user_id` is the user that was changed, if one was. */
export type AdminEvent =
  | From<'user_created', { actor: Actor; email: string; role: Role }>
  | From<'role_changed', { actor: Actor; from: Role; to: Role }>
  | From<'user_activated' | 'user_unlocked', { actor: Actor }>
  | From<'user_deactivated' | 'password_set', { actor: Actor; sessions_ended: number }>
  | From<'session_revoked', { actor: Actor; family_id: string }>
  | KeyEvent;

type KeyEvent =
  | From<'api_key_created', OfKey & { service_name: string; scopes: string[]; rate_limit: number }>
  | From<'api_key_rotated', OfKey & { overlap_seconds: number }>
  | From<'cron_key_created', OfKey & { service_name: string; scopes: string[] }>
  | From<'api_key_revoked' | 'cron_key_revoked', OfKey & { service_name: string }>;

interface OfKey {
  actor: Actor;
  key_id: string;
}

export type AuditedEvent = AuthEvent | AdminEvent;

/** Every event type; one that is missing here does not compile. */
export const EVENT_TYPES = Object.keys({
  account_locked: true,
  login_failure: true,
  login_success: true,
  token_theft: true,
  logout: true,
  user_created: true,
  role_changed: true,
  user_activated: true,
  user_deactivated: true,
  user_unlocked: true,
  password_set: true,
  session_revoked: true,
  api_key_created: true,
  api_key_rotated: true,
  api_key_revoked: true,
  cron_key_created: true,
  cron_key_revoked: true,
} satisfies Record<AuditedEvent['eventType'], true>) as AuditedEvent['eventType'][];

/** Columns of an audit row, in the order of `auditValues`. */
export const AUDIT_COLUMNS = [
  'id',
  'event_type',
  'entity_type',
  'user_id',
  'ip_address',
  'user_agent',
  'metadata',
  'created_at',
] as const;

/**
 * The event as a select list, for `INSERT … SELECT` within the statement that makes the change, so that the row and
 * the change stand or fall together.
 * @param metadata as JSON; an expression where the statement itself finds what it holds
 */
export function auditValues(
  event: Omit<AuditedEvent, 'metadata'>,
  metadata: AuditedEvent['metadata'] | RawBuilder<AuditedEvent['metadata']>,
  at: Date,
) {
  const json = 'toOperationNode' in metadata ? metadata : asJson(metadata);
  const row = rowOf(event, at);
  return [
    sql<string>`${row.id}::uuid`.as('id'),
    sql<string>`${row.event_type}::text`.as('event_type'),
    sql<string>`${row.entity_type}::text`.as('entity_type'),
    sql<string | null>`${row.user_id}::uuid`.as('user_id'),
    sql<string>`${row.ip_address}::text`.as('ip_address'),
    sql<string | null>`${row.user_agent}::text`.as('user_agent'),
    sql<Record<string, unknown>>`${json}`.as('metadata'),
    sql<Date>`${row.created_at}::timestamptz`.as('created_at'),
  ] as const;
}

function asJson(metadata: AuditedEvent['metadata']): RawBuilder<Record<string, unknown>> {
  return sql`${JSON.stringify(metadata)}::jsonb`;
}

/** The columns of an event but for its metadata. */
function rowOf(event: Omit<AuditedEvent, 'metadata'>, at: Date) {
  const { eventType: event_type, userId: user_id, ipAddress: ip_address, userAgent: user_agent } = event;
  const entity_type = entityTypeOf(event);
  return { id: uuidInTimeOrder(at), event_type, entity_type, user_id, ip_address, user_agent, created_at: at };
}

/** Spec 6: `user`; our own events about keys say so. */
function entityTypeOf({ eventType }: Pick<AuditedEvent, 'eventType'>): 'user' | 'api_key' | 'cron_key' {
  return (['api_key', 'cron_key'] as const).find((key) => eventType.startsWith(key)) ?? 'user';
}

/** Events that one statement writes: a statement has at most 65,535 parameters. */
const EVENTS_AT_ONCE = 1_000;

/** Writes events by themselves, or beside other statements of a transaction. */
export async function writeAudit(db: Sql, events: readonly AuditedEvent[], at: Date): Promise<void> {
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    const some = events.slice(from, from + EVENTS_AT_ONCE);
    const rows = some.map((event) => ({ ...rowOf(event, at), metadata: asJson(event.metadata) }));
    await db.insertInto('audit_events').values(rows).execute();
  }
}
