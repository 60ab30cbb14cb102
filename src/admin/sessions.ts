/** Sessions. A session is a family of refresh tokens; its newest record has its state. (Interface 11) */
import type { ChangeEvent } from '../audit/events.js';
import { revokeAll } from '../auth/revocations.js';
import { NEWEST } from '../auth/sessions.js';
import type { Database } from '../db/database.js';
import type { RefreshToken, RevokedReason } from '../db/entities/refresh-token.js';
import { columnsOf, type RawBuilder, type Reads, sql } from '../db/sql.js';
import type { OwnScope, Scopes } from '../domain/scopes.js';
import { checkedIds } from '../listing/ids.js';
import { column, type OrderedPageRequest, type Orders, walkBy } from '../listing/keyset.js';
import { allOf, type Count, countRows, type Keyed, type Page, pageOf, readRows } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { isUuid } from '../platform/ids.js';
import type { Deps } from '../services.js';
import { administer, type Needs, type Operator, requireScope } from './administer.js';

/** Why a session ended, by the reason in its newest record; audit events have the same names as these reasons. */
export const END_OF = {
  logout: 'logout',
  token_theft: 'token_theft',
  session_revoked: 'revoked',
  user_deactivated: 'user_deactivated',
  user_password_set: 'user_password_set',
  factors_reset: 'factors_reset',
  email_change_undone: 'email_change_undone',
  user_deleted: 'user_deleted',
} as const satisfies Record<Exclude<RevokedReason, 'rotated'>, string>;

export type SessionEndReason = (typeof END_OF)[keyof typeof END_OF] | 'expired';

const OF_RECORD = ['userId', 'expiresAt', 'userAgent', 'ipAddress', 'revoked', 'revokedAt', 'revokedReason'] as const;

interface NewestRecord extends Pick<RefreshToken, (typeof OF_RECORD)[number]> {
  id: string;
  startedAt: Date;
  lastUsedAt: Date;
}

const COLUMNS = columnsOf(OF_RECORD);

/** @param family SQL of the session ID */
function newestRecordOf(family: RawBuilder<unknown>): RawBuilder<NewestRecord> {
  return sql`
    select family_id as id, session_started_at as "startedAt", created_at as "lastUsedAt", ${COLUMNS}
    from refresh_tokens where family_id = ${family} and ${sql.raw(NEWEST)} order by created_at desc limit 1`;
}

/** A session; `id` is its family. */
export interface Session extends Omit<NewestRecord, 'revoked' | 'revokedAt' | 'revokedReason'> {
  /** Neither revoked nor expired */
  isLive: boolean;
  /** Both null while the session is live */
  endedAt: Date | null;
  endReason: SessionEndReason | null;
}

/** A session whose record was revoked after its expiry ended by expiry. */
function sessionOf({ revoked, revokedAt, revokedReason, ...record }: NewestRecord, now: Date): Session {
  const { expiresAt } = record;
  if (!revoked && expiresAt >= now) return { ...record, isLive: true, endedAt: null, endReason: null };
  const ended = { ...record, isLive: false };
  if (expiresAt < (revokedAt ?? now)) return { ...ended, endedAt: expiresAt, endReason: 'expired' };
  const endReason = revokedReason === null ? null : END_OF[revokedReason as keyof typeof END_OF];
  return { ...ended, endedAt: revokedAt, endReason };
}

/** @param family SQL of the session ID, if that is not `id` */
export async function findSession(
  db: Reads,
  id: string,
  now: Date,
  family = sql`${id}::uuid`,
): Promise<Session | undefined> {
  const [record] = isUuid(id) ? await db.read(newestRecordOf(family)) : [];
  return record && sessionOf(record, now);
}

export interface SessionFilter {
  /** Only live ones, or only ended ones; both if undefined. */
  live?: boolean | null | undefined;
}

export type UserSessionOrder = 'last_used_at' | 'started_at';

export interface SessionPageRequest extends OrderedPageRequest<UserSessionOrder>, SessionFilter {}

/** By their start an index has them; to find those used last, every session of the user is read. */
const OF_USER: Orders<UserSessionOrder> = {
  last_used_at: { columns: [column('lastUsedAt', 'timestamptz'), column('newest.id', 'uuid')], direction: 'desc' },
  started_at: {
    columns: [column('sessions.started_at', 'timestamptz'), column('sessions.family_id', 'uuid')],
    direction: 'desc',
    name: 'started_at',
  },
};

/** A condition on the columns of `newestRecordOf`. */
function isLive(live: boolean, now: Date): RawBuilder<unknown> {
  return sql`(not revoked and "expiresAt" >= ${now}) = ${live}`;
}

/**
 * A page of sessions for each user, most recently used first unless asked otherwise, in one statement for all users.
 * @returns by user id
 * @throws {AdminRefusal} for an invalid page
 */
export async function listSessions(
  db: Database,
  userIds: readonly string[],
  { live, ...page }: SessionPageRequest,
  now: Date,
): Promise<Map<string, Page<Session>>> {
  const walk = walkBy(OF_USER, 'last_used_at', page);
  const conditions = allOf(sql`sessions.user_id = users.id`, live != null && isLive(live, now), walk.beyond());
  const rows = await readRows(
    db,
    sql<NewestRecord & Keyed>`
      select page.* from unnest(${[...new Set(userIds)]}::uuid[]) as users (id) cross join lateral (
        select newest.*, ${walk.key} as key
        from sessions cross join lateral (${newestRecordOf(sql`sessions.family_id`)}) as newest
        where ${conditions}
        order by ${walk.rows()} limit ${walk.limit}
      ) as page`,
  );
  const ofUser = Map.groupBy(rows, ({ userId }) => userId);
  const shown = ({ key: _, ...record }: NewestRecord & Keyed) => sessionOf(record, now);
  return new Map(userIds.map((id) => [id, pageOf(walk, ofUser.get(id) ?? [], shown)]));
}

/** Number of sessions that a filtered page or count examines: only the newest record of each says whether it is live. */
const EXAMINED_SESSIONS = 10_000;

const NEWEST_RECORD = newestRecordOf(sql`started.family_id`);

export type SessionOrder = 'started_at';

const OF_ALL: Orders<SessionOrder> = {
  started_at: { columns: [column('family_id', 'uuid')], direction: 'desc' },
};

/**
 * A page of the sessions of all users, newest login first unless asked otherwise. The order is that of the session ids, which
 * begin with the time of the login and have an index. The time of the last use changes with each rotation, which no index may
 * slow down. With `live` a page may have fewer sessions than requested, or none, although there is another page: it stops
 * after `EXAMINED_SESSIONS`, and the next page continues there.
 * @throws {AdminRefusal} for an invalid page, or if reading takes too long
 */
export async function listAllSessions(
  { clock, db }: Deps<'clock' | 'db'>,
  { live }: SessionFilter,
  page: OrderedPageRequest<SessionOrder>,
): Promise<Page<Session>> {
  const walk = walkBy(OF_ALL, 'started_at', page);
  const now = clock.now();
  const started = sql`select family_id from sessions where ${walk.beyond()} order by ${walk.rows()}`;
  const last = sql`(select ${walk.key} from (${started} offset ${EXAMINED_SESSIONS - 1} limit 1) as examined)`;
  const rows = await readRows(
    db,
    sql<{ [K in keyof (NewestRecord & Keyed)]: (NewestRecord & Keyed)[K] | null } & { last: string[] | null }>`
      select found.*, ${live == null ? sql`null` : last} as last
      from (select) as page left join (
        select newest.*, ${walk.key} as key
        from (${started} ${live == null ? sql`` : sql`limit ${EXAMINED_SESSIONS}`}) as started
        cross join lateral (${NEWEST_RECORD}) as newest
        where ${allOf(live != null && isLive(live, now))}
        order by ${walk.rows()} limit ${walk.limit}
      ) as found on true
      order by ${walk.rows(sql.ref('found.id'))}`,
  );
  // A row without a session has only the key of the last session examined.
  const records = rows.filter((row): row is NewestRecord & Keyed & { last: string[] | null } => row.id !== null);
  return pageOf(walk, records, ({ key: _, last: __, ...record }) => sessionOf(record, now), rows[0]?.last ?? null);
}

/**
 * Number of sessions of all users. With `live` it counts among the newest `EXAMINED_SESSIONS`.
 * @throws {AdminRefusal} if counting takes too long
 */
export async function countAllSessions({ clock, db }: Deps<'clock' | 'db'>, { live }: SessionFilter): Promise<Count> {
  const newestFirst = sql`select family_id from sessions order by family_id desc`;
  if (live == null) return countRows(db, newestFirst);
  const [{ count, isMore } = { count: 0, isMore: false }] = await readRows(
    db,
    sql<{ count: number; isMore: boolean }>`
      select count(*)::int as count, exists (${newestFirst} offset ${EXAMINED_SESSIONS} limit 1) as "isMore"
      from (${newestFirst} limit ${EXAMINED_SESSIONS}) as started cross join lateral (${NEWEST_RECORD}) as newest
      where ${isLive(live, clock.now())}`,
  );
  return { count, precision: isMore ? 'at_least' : 'exact' };
}

interface Requester {
  /** Undefined for a key */
  userId: string | undefined;
  scopes: Scopes;
}

/** For the owner or a caller with the scope. Others get the same refusal whether the session exists or not. */
function ownOrScope(session: Session | undefined, { userId, scopes }: Requester, scope: OwnScope): Session {
  if (session === undefined || session.userId !== userId) requireScope(scopes, scope);
  if (session === undefined) throw new AdminRefusal('session_unknown', 'There is no such session');
  return session;
}

/**
 * @param id the session ID, or the `jti` of one of its records
 * @throws {AdminRefusal} `scope_missing`, or `session_unknown`
 */
export async function readSession(
  { clock, db }: Deps<'clock' | 'db'>,
  requester: Requester,
  id: string,
): Promise<Session> {
  const family = sql`coalesce((select family_id from refresh_tokens where jti = ${id}), ${id}::uuid)`;
  const session = await findSession(db.admin, id, clock.now(), family);
  return ownOrScope(session, requester, readSession.needs.scope);
}
readSession.needs = { scope: 'audit:read', exceptOwn: true } satisfies Needs;

/**
 * Ends a session. One that has already ended is not changed.
 * @param userId the requesting user; undefined for a key
 * @returns the session afterwards
 * @throws {AdminRefusal} `scope_missing`, or `session_unknown`
 */
export function revokeSession(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  userId: string | undefined,
  id: string,
): Promise<Session> {
  return administer(deps, operator, revokeSession.needs, async ({ db, now, scopes, audit }) => {
    const found = await findSession(db, id, now);
    const session = ownOrScope(found, { userId, scopes }, revokeSession.needs.scope);
    const ended = await revokeAll(db, { familyId: id }, 'session_revoked', now);
    if (ended.length > 0) await audit(revoked(session.userId, session.id));
    return (await findSession(db, id, now)) ?? session;
  });
}
revokeSession.needs = { scope: 'sessions:write', exceptOwn: true } satisfies Needs;

/**
 * Ends all sessions of a user except one.
 * @returns the number of sessions ended
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

/**
 * Ends all sessions of users, except the one that asks.
 * @param exceptFamilyId the session of the caller; undefined for a key
 * @returns the number of sessions ended; users without one, or who do not exist, add none
 * @throws {AdminRefusal} `invalid_ids`
 */
export function revokeSessionsOfUsers(
  deps: Deps<'clock' | 'db'>,
  operator: Operator,
  userIds: readonly string[],
  exceptFamilyId: string | undefined,
): Promise<number> {
  const ids = checkedIds(userIds).filter(isUuid);
  return administer(deps, operator, revokeSessionsOfUsers.needs, async ({ db, now, audit }) => {
    const ended = await revokeAll(db, { userIds: ids, exceptFamilyId }, 'session_revoked', now);
    const owned = await db.read(sql<{ familyId: string; userId: string }>`
      select family_id as "familyId", user_id as "userId" from sessions where family_id = any(${ended}::uuid[])
      order by family_id`);
    await audit(...owned.map(({ familyId, userId }) => revoked(userId, familyId)));
    return ended.length;
  });
}
revokeSessionsOfUsers.needs = { scope: 'sessions:write' } satisfies Needs;

function revoked(userId: string, familyId: string): ChangeEvent {
  return { eventType: 'session_revoked', userId, metadata: { family_id: familyId } };
}
