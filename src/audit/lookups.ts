/** Finds who made an event, what it is about, and its session; as facts of a row and as filters. (Interface 11) */
import type { Database } from '../db/database.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { statement } from '../db/statement.js';
import { isUuid } from '../platform/ids.js';
import type { Actor } from './events.js';

/** What these functions read of a row. */
interface Row {
  eventType: string;
  entityType: string;
  userId: string | null;
  metadata: Record<string, unknown>;
}

/** The actor of an event, in one form for all kinds. */
export interface EventActor {
  callerType: Actor['caller_type'];
  /** The `sub` of a user or the `key_id` of a key; null for the command line */
  id: string | null;
}

/** Null if nobody is recorded, as for a login. */
export function actorOf({ metadata }: Pick<Row, 'metadata'>): EventActor | null {
  const actor = metadata['actor'] as Partial<Record<string, string>> | undefined;
  if (actor === undefined) return null;
  return { callerType: actor['caller_type'] as EventActor['callerType'], id: actor['sub'] ?? actor['key_id'] ?? null };
}

/** The id of the user, key or webhook that an event is about. */
export function entityIdOf({ entityType, userId, metadata }: Omit<Row, 'eventType'>): string | null {
  if (entityType === 'user') return userId;
  return (metadata['key_id'] ?? metadata['webhook_id'] ?? null) as string | null;
}

/** Events that a user or a key has made. */
export function madeBy(id: string): RawBuilder<unknown> {
  return sql`metadata -> 'actor' is not null
    and coalesce(metadata -> 'actor' ->> 'sub', metadata -> 'actor' ->> 'key_id') = ${asStored(id)}`;
}

/** Events about a user, a key or a webhook; mutually exclusive. */
export function about(id: string): Array<RawBuilder<unknown>> {
  const others = sql`entity_type <> 'user' and coalesce(metadata ->> 'key_id', metadata ->> 'webhook_id') = ${asStored(id)}`;
  return isUuid(id) ? [sql`user_id = ${id} and entity_type = 'user'`, others] : [others];
}

/** Metadata has UUIDs in lower case. The id of a key depends on case. */
export function asStored(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}

/** SQL of a text as a UUID; null if it is none. @param text SQL */
export function uuidIn(text: string): string {
  return `case when ${text} ~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then (${text})::uuid end`;
}

const sessionSql = statement(
  'session_of_filter',
  { id: 'uuid' },
  { user_id: 'uuid', begin: 'text', end: 'text?', has_login: 'boolean' },
)`
  select user_id, started_at::text as begin,
    (select max(expires_at)::text from refresh_tokens where family_id = :id) as end,
    (select count(*) = 1 from sessions as begun where begun.user_id = sessions.user_id
      and begun.started_at = sessions.started_at) as has_login
  from sessions where family_id = :id`;

/**
 * Events of a session; mutually exclusive. Those of its login and its logouts do not name it. They are found among the
 * events of its user while it could be used, so that no index has to hold each login.
 */
export async function ofSession(db: Database, id: string): Promise<Array<RawBuilder<unknown>>> {
  if (!isUuid(id)) return [sql`false`];
  const named = sql`metadata ->> 'family_id' = ${asStored(id)}`;
  const [session] = await db.admin.run(sessionSql, { id });
  if (session === undefined) return [named];
  const { user_id, begin, end, has_login } = session;
  return [
    named,
    sql`user_id = ${user_id} and created_at >= ${begin}::timestamptz and created_at <= ${end}::timestamptz
      and metadata ->> 'family_id' is null and (
        (event_type = 'login_success' and created_at = ${begin}::timestamptz and ${has_login})
        or (event_type = 'logout'
          and metadata ->> 'jti' in (select jti::text from refresh_tokens where family_id = ${id}))
      )`,
  ];
}

/** The session that the metadata of an event has. Undefined for logins and logouts: `sessionsOfEvents` looks it up. */
export function sessionNamedBy({ eventType, metadata }: Pick<Row, 'eventType' | 'metadata'>) {
  const named = metadata['family_id'] as string | null | undefined;
  return named ?? (eventType === 'login_success' || eventType === 'logout' ? undefined : null);
}

/**
 * A login and its session are written with one time. Of two sessions that a user began in one millisecond, neither is named.
 * A session that has been swept is not found.
 */
const sessionsOfEventsSql = statement('sessions_of_events', { ids: 'text[]' }, { id: 'uuid', family_id: 'uuid' })`
  with asked as materialized (
    select id, event_type, user_id, metadata, created_at from audit_events where id = any (:ids::uuid[])
  )
  select asked.id, found.family_id from asked cross join lateral (
    select family_id from refresh_tokens
    where asked.event_type = 'logout' and jti = ${uuidIn("asked.metadata ->> 'jti'")}
    union all
    select min(family_id::text)::uuid from sessions
    where asked.event_type = 'login_success' and user_id = asked.user_id and started_at = asked.created_at
    having count(*) = 1
  ) as found`;

/** The sessions of logins and logouts, by the ids of the events. */
export async function sessionsOfEvents(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await db.admin.run(sessionsOfEventsSql, { ids: [...ids] });
  return new Map(found.map(({ id, family_id }) => [id, family_id]));
}
