/** CONTRACT 11: sessions. A session is a family of refresh tokens; its newest record is the one that says how it is. */
import { type RawBuilder, sql } from 'kysely';
import type { AdminEvent } from '../audit/events.js';
import { revokeAll } from '../auth/sessions.js';
import type { Database, Sql } from '../db/database.js';
import { isUuid } from '../platform/ids.js';
import type { OwnScope, Scopes } from '../scopes.js';
import { type AdminDependencies, administer, type Operator, requireScope } from './administer.js';
import { checkFirst, decodeTimeCursor, encodeCursor, exactTime, type Page, type PageRequest, pageOf } from './page.js';
import { AdminRefusal, withinTheLimit } from './refusal.js';

export interface Session {
  /** The family */
  id: string;
  userId: string;
  startedAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  userAgent: string;
  ipAddress: string;
  /** Not revoked and not expired */
  live: boolean;
}

/** The newest record of the session, as a select list. Of a family only that one was not replaced by another. */
function columns(now: Date): RawBuilder<unknown> {
  return sql`
    family_id as id, user_id as "userId", session_started_at as "startedAt", created_at as "lastUsedAt",
    expires_at as "expiresAt", user_agent as "userAgent", ip_address as "ipAddress",
    not revoked and expires_at >= ${now} as live`;
}

export const NEWEST_OF_FAMILY = sql<boolean>`revoked_reason is distinct from 'rotated'`;

export interface SessionPageRequest extends PageRequest {
  /** Only those that live, or only those that do not; undefined: both. */
  live?: boolean | null | undefined;
}

/**
 * A page of each user's sessions, the last used first, in one statement for all of them.
 * @returns by user id; a user without sessions is left out
 * @throws {AdminRefusal} for a bad page
 */
export async function listSessions(
  db: Database,
  userIds: readonly string[],
  page: SessionPageRequest,
  now: Date,
): Promise<Map<string, Page<Session>>> {
  checkFirst(page);
  const conditions = [
    sql`user_id = users.id and ${NEWEST_OF_FAMILY}`,
    ...(page.live == null ? [] : [sql`(not revoked and expires_at >= ${now}) = ${page.live}`]),
    ...(page.after == null ? [] : [beforeCursor(page.after)]),
  ];
  const { rows } = await withinTheLimit(() =>
    sql<Session & { exactly: string }>`
      select sessions.* from unnest(${[...new Set(userIds)]}::uuid[]) as users (id) cross join lateral (
        select ${columns(now)}, ${exactTime('created_at')} as exactly from refresh_tokens
        where ${sql.join(conditions, sql` and `)}
        order by created_at desc, family_id desc limit ${page.first + 1}
      ) as sessions`.execute(db.admin),
  );
  const ofUser = Map.groupBy(rows, ({ userId }) => userId);
  const cursorOf = ({ exactly, id }: (typeof rows)[number]) => encodeCursor(exactly, id);
  return new Map(Array.from(ofUser, ([id, sessions]) => [id, pageOf(sessions, page.first, cursorOf)]));
}

/** @throws {AdminRefusal} for a text that is no cursor */
function beforeCursor(cursor: string): RawBuilder<unknown> {
  const { exactly, rest } = decodeTimeCursor(cursor, isUuid);
  return sql`(created_at, family_id) < (${exactly}::timestamptz, ${rest[0]}::uuid)`;
}

export async function findSession(db: Sql, id: string, now: Date): Promise<Session | undefined> {
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<Session>`
    select ${columns(now)} from refresh_tokens
    where family_id = ${id} and ${NEWEST_OF_FAMILY} order by created_at desc limit 1`.execute(db);
  return rows[0];
}

/**
 * The session, for its owner, or for who holds the scope; others are not even told which sessions there are.
 * @param ownerId the user who asks; undefined for a key
 * @throws {AdminRefusal} `forbidden`, or `session_unknown`
 */
export async function ownOrScope(
  db: Sql,
  id: string,
  { ownerId, scopes, scope }: { ownerId: string | undefined; scopes: Scopes; scope: OwnScope },
  now: Date,
): Promise<Session> {
  const session = await findSession(db, id, now);
  if (session === undefined || session.userId !== ownerId) requireScope(scopes, scope);
  if (session === undefined) throw new AdminRefusal('session_unknown', 'There is no such session');
  return session;
}

/**
 * Ends a session of the caller's own (`ownerId`), or any with `sessions:write`. One that has ended stays as it is.
 * @throws {AdminRefusal}
 */
export function revokeSession(
  deps: AdminDependencies,
  operator: Operator,
  ownerId: string | undefined,
  id: string,
): Promise<Session> {
  return administer(deps, operator, undefined, async ({ sql: tx, now, scopes, audit }) => {
    const session = await ownOrScope(tx, id, { ownerId, scopes, scope: 'sessions:write' }, now);
    const ended = await revokeAll(tx, { familyId: id }, 'session_revoked', now);
    if (ended.length > 0) await audit(revoked(operator, session.userId, id));
    return { ...session, live: false };
  });
}

/**
 * Ends every session of a user but one.
 * @returns how many ended
 * @throws {AdminRefusal}
 */
export function revokeOtherSessions(
  deps: AdminDependencies,
  operator: Operator,
  userId: string,
  exceptFamilyId: string | undefined,
): Promise<number> {
  return administer(deps, operator, undefined, async ({ sql: tx, now, audit }) => {
    const whose = { userId, ...(exceptFamilyId === undefined ? {} : { exceptFamilyId }) };
    const ended = await revokeAll(tx, whose, 'session_revoked', now);
    await audit(...ended.map((familyId) => revoked(operator, userId, familyId)));
    return ended.length;
  });
}

function revoked(operator: Operator, userId: string, familyId: string): AdminEvent {
  const metadata = { actor: operator.actor, family_id: familyId };
  return { eventType: 'session_revoked', userId, ...operator.client, metadata };
}
