/** CONTRACT 11: sessions. A session is a family of refresh tokens; its newest record is the one that says how it is. */
import { type RawBuilder, sql } from 'kysely';
import type { ChangeEvent } from '../audit/events.js';
import { NEWEST, revokeAll } from '../auth/sessions.js';
import type { Database } from '../db/database.js';
import { type Db, type RowOf, statement } from '../db/statement.js';
import type { Deps } from '../parts.js';
import { isUuid } from '../platform/ids.js';
import type { OwnScope, Scopes } from '../scopes.js';
import { administer, type Needs, type Operator, requireScope } from './administer.js';
import {
  allOf,
  checkFirst,
  decodeTimeCursor,
  encodeCursor,
  exactTime,
  type Page,
  type PageRequest,
  pageOf,
  readRows,
} from './page.js';
import { AdminRefusal } from './refusal.js';

/** The newest record of the session, as a select list; `live` goes by the clock. */
const COLUMNS = `family_id as id, user_id as "userId", session_started_at as "startedAt", created_at as "lastUsedAt",
  expires_at as "expiresAt", user_agent as "userAgent", ip_address as "ipAddress"`;

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
  const conditions = allOf(
    sql`user_id = users.id and ${sql.raw(NEWEST)}`,
    page.live != null && sql`(not revoked and expires_at >= ${now}) = ${page.live}`,
    page.after != null && beforeCursor(page.after),
  );
  const rows = await readRows(
    db,
    sql<Session & { exactly: string }>`
      select sessions.* from unnest(${[...new Set(userIds)]}::uuid[]) as users (id) cross join lateral (
        select ${sql.raw(COLUMNS)}, not revoked and expires_at >= ${now} as live,
          ${exactTime('created_at')} as exactly
        from refresh_tokens
        where ${conditions}
        order by created_at desc, family_id desc limit ${page.first + 1}
      ) as sessions`,
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

const findSessionSql = statement(
  'find_session',
  { id: 'uuid', now: 'timestamptz' },
  {
    id: 'uuid',
    userId: 'uuid',
    startedAt: 'timestamptz',
    lastUsedAt: 'timestamptz',
    expiresAt: 'timestamptz',
    userAgent: 'text',
    ipAddress: 'text',
    live: 'boolean',
  },
)`
  select ${COLUMNS}, not revoked and expires_at >= :now as live
  from refresh_tokens where family_id = :id and ${NEWEST} order by created_at desc limit 1`;

/** A session; `id` is its family, and `live` says that it is neither revoked nor expired. */
export type Session = RowOf<typeof findSessionSql>;

export async function findSession(db: Db, id: string, now: Date): Promise<Session | undefined> {
  const [session] = isUuid(id) ? await db.run(findSessionSql, { id, now }) : [];
  return session;
}

/**
 * The session, for its owner, or for who holds the scope; others are not even told which sessions there are.
 * @param ownerId the user who asks; undefined for a key
 * @throws {AdminRefusal} `scope_missing`, or `session_unknown`
 */
export async function ownOrScope(
  db: Db,
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
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  ownerId: string | undefined,
  id: string,
): Promise<Session> {
  return administer(deps, operator, revokeSession.needs, async ({ db, now, scopes, audit }) => {
    const session = await ownOrScope(db, id, { ownerId, scopes, scope: revokeSession.needs.scope }, now);
    const ended = await revokeAll(db, { familyId: id }, 'session_revoked', now);
    if (ended.length > 0) await audit(revoked(session.userId, id));
    return { ...session, live: false };
  });
}
revokeSession.needs = { scope: 'sessions:write', exceptOwn: true } satisfies Needs;

/**
 * Ends every session of a user but one.
 * @returns how many ended
 * @throws {AdminRefusal}
 */
export function revokeOtherSessions(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  userId: string,
  exceptFamilyId: string | undefined,
): Promise<number> {
  return administer(deps, operator, undefined, async ({ db, now, audit }) => {
    const ended = await revokeAll(db, { userId, exceptFamilyId }, 'session_revoked', now);
    await audit(...ended.map((familyId) => revoked(userId, familyId)));
    return ended.length;
  });
}

function revoked(userId: string, familyId: string): ChangeEvent {
  return { eventType: 'session_revoked', userId, metadata: { family_id: familyId } };
}
