/** The events of one session in order, which show why a user was logged out. (Interface 11) */
import { uuidIn } from '../audit/lookups.js';
import { NEWEST } from '../auth/sessions.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { column, type PageRequest, Walk } from '../listing/keyset.js';
import { type Keyed, type Page, pageOf, readRows } from '../listing/page.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { ENDING_TYPES, type EventRow, type SessionEvent, sessionEventOf } from './session-events.js';
import type { Session } from './sessions.js';
import { findUserId } from './users.js';

const OLDEST_FIRST = {
  columns: [column('at', 'timestamptz'), column('rank', 'smallint'), column('id', 'uuid')],
  direction: 'asc',
} as const;

/**
 * A page of the events of a session, oldest first, as far as its records have not been swept.
 * @throws {AdminRefusal} for an invalid page
 */
export async function sessionEvents(
  { db }: Deps<'db'>,
  session: Session,
  page: PageRequest,
  now: Date,
): Promise<Page<SessionEvent>> {
  const walk = new Walk(OLDEST_FIRST, page);
  const { isBackward, limit } = walk;
  const beyond = (at: string, rank: string, id: string) => walk.beyond(sql.raw(at), sql.raw(rank), sql.raw(id));
  const from = sql`${walk.from?.[0] ?? (isBackward ? 'infinity' : '-infinity')}::timestamptz`;
  const pageEnd = sql`(select at from page_end)`;
  const [earliest, latest] = isBackward ? [pageEnd, from] : [from, pageEnd];
  const rows = await readRows(
    db,
    sql<EventRow & Keyed>`
      with records as (
        select created_at as at, (${sql.raw(NEWEST)})::int as rank, jti as id, jti, ip_address, user_agent,
          null::jsonb as event, null as ended_by, null::jsonb as reuse
        from refresh_tokens
        where family_id = ${session.id} and ${beyond('created_at', `(${NEWEST})::int`, 'jti')}
        order by ${walk.rows()} limit ${limit}
      ), newest as (
        select * from refresh_tokens where family_id = ${session.id}
        order by ${sql.raw(NEWEST)} desc, created_at desc, jti desc limit 1 -- clocks of instances may differ
      ), page_end as (
        select case when count(*) < ${limit} then ${sql.lit(isBackward ? '-infinity' : 'infinity')}
          else ${sql.raw(isBackward ? 'min' : 'max')}(at) end as at from records
      ), endings as (
        select event.created_at as at, 3 as rank, event.id, coalesce(${JTI_OF_EVENT}, newest.jti) as jti, event.ip_address,
          event.user_agent, jsonb_build_object('eventType', event_type, 'metadata', metadata) as event,
          token.revoked_reason as ended_by, ${reuseSql('event.created_at', 'event.ip_address', 'event.user_agent')}
        from newest cross join audit_events as event
          left join refresh_tokens as token on token.family_id = ${session.id} and token.jti = ${JTI_OF_EVENT}
          left join lateral ${ROTATION_OF_TOKEN} on true
        where event.user_id = ${session.userId}
          and event_type in (${sql.join(ENDING_TYPES.map((type) => sql.lit(type)))})
          and event.created_at between greatest(${session.startedAt}, ${earliest}) and ${latest}
          and ${beyond('event.created_at', '3', 'event.id')}
          and (
            (event_type in ('token_theft', 'session_revoked') and metadata ->> 'family_id' = ${session.id})
            or (event_type = 'logout' and token.jti is not null)
            or (event_type in
              ('user_deactivated', 'user_password_set', 'user_password_changed', 'factors_reset', 'email_change_undone', 'user_deleted')
              and newest.revoked_reason = replace(event_type, 'password_changed', 'password_set') and newest.revoked_at <= newest.expires_at
              and event.created_at = newest.revoked_at) -- a change writes all its rows with the same time
          )
        order by ${walk.rows()} limit ${limit}
      ), retries as (
        select token.retried_at as at, 2 as rank, token.jti as id, token.jti, token.retried_ip_address as ip_address,
          token.retried_user_agent as user_agent, null::jsonb as event, null as ended_by,
          ${reuseSql('token.retried_at', 'token.retried_ip_address', 'token.retried_user_agent')}
        from refresh_tokens as token left join lateral ${ROTATION_OF_TOKEN} on true
        where token.family_id = ${session.id} and token.retried_at is not null
          and ${beyond('token.retried_at', '2', 'token.jti')}
        order by ${walk.rows()} limit ${limit}
      ), expiry as (
        select expires_at as at, 4 as rank, jti as id, jti, ip_address, user_agent, null::jsonb as event,
          null as ended_by, null::jsonb as reuse
        from newest
        where expires_at < coalesce(revoked_at, ${now}) and ${beyond('expires_at', '4', 'jti')}
      )
      select at as "createdAt", rank, id, jti, ip_address as "ipAddress", user_agent as "userAgent", event,
        ended_by as "endedBy", reuse as "reuse", ${walk.key} as key
      from (
        select * from records union all select * from retries union all select * from endings
        union all select * from expiry
      ) as events
      order by ${walk.rows()} limit ${limit}`,
  );
  const first = isBackward ? rows.length <= walk.size && rows.at(-1) : walk.from === undefined && rows[0];
  return pageOf(walk, rows, (row) => sessionEventOf(row, session, row === first));
}

/** The token of an audit event. A jti that is not a UUID has no record. */
const JTI_OF_EVENT = sql.raw(uuidIn("coalesce(metadata ->> 'jti', metadata ->> 'reused_jti')"));

/** The record that the rotation of `token` has created, with the address and user agent that used the token. */
const ROTATION_OF_TOKEN = sql`(
  select made.ip_address, made.user_agent from refresh_tokens as made
  where made.family_id = token.family_id and made.created_at = token.revoked_at and made.jti <> token.jti
  order by made.predecessor_jti = token.jti desc nulls last limit 1
) as rotation`;

/** SQL of `Reuse` for a `token` that was presented again at this time from this address and user agent. */
function reuseSql(at: string, ipAddress: string, userAgent: string): RawBuilder<unknown> {
  return sql`jsonb_build_object(
    'seconds', extract(epoch from ${sql.raw(at)} - token.revoked_at), 'retries', token.retries,
    'isSameAddress', ${sql.raw(ipAddress)} = rotation.ip_address,
    'isSameAgent', ${sql.raw(userAgent)} = rotation.user_agent) as reuse`;
}

/** Number of sessions that are explained for one user. */
const MAX_SESSIONS = 20;

export interface NamedSessions {
  /** Newest first */
  families: string[];
  /** Number of sessions of the user */
  total: number;
  /** Set if a user was named */
  userId?: string;
}

/** Sessions by the jti of a token, the ID of the session, or the ID or e-mail of the user. */
export async function sessionsNamed(deps: Deps<'db'>, name: string): Promise<NamedSessions> {
  const { admin } = deps.db;
  const ofToken = sql<{ family_id: string }>`
    select family_id from refresh_tokens where jti = ${name} or family_id = ${name} limit 1`;
  const [one] = isUuid(name) ? await admin.read(ofToken) : [];
  if (one !== undefined) return { families: [one.family_id], total: 1 };
  const userId = await findUserId(deps, name);
  if (userId === undefined) return { families: [], total: 0 };
  const found = await admin.read(sql<{ family_id: string; total: number }>`
    select sessions.family_id, (count(*) over ())::integer as total from sessions
    cross join lateral (
      select created_at from refresh_tokens where family_id = sessions.family_id order by created_at desc limit 1
    ) as newest
    where user_id = ${userId} order by newest.created_at desc limit ${MAX_SESSIONS}`);
  return { families: found.map(({ family_id }) => family_id), total: found[0]?.total ?? 0, userId };
}
