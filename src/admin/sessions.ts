/** CONTRACT 11: sessions. A session is a family of refresh tokens; its newest record is the one that says how it is. */
import { type RawBuilder, sql } from 'kysely';
import type { AdminEvent } from '../auth/audit.js';
import { revokeAll } from '../auth/refresh-tokens.js';
import type { Database, Sql } from '../db/database.js';
import { isUuid } from '../platform/ids.js';
import { type AdminDependencies, administer, type By, demand } from './administer.js';
import { AdminRefusal } from './refusal.js';

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

/** Most sessions that are listed of one user, newest first. */
const MOST_SESSIONS = 100;

function columns(now: Date): RawBuilder<unknown> {
  return sql`
    family_id as id, user_id as "userId", session_started_at as "startedAt", created_at as "lastUsedAt",
    expires_at as "expiresAt", user_agent as "userAgent", ip_address as "ipAddress",
    not revoked and expires_at >= ${now} as live`;
}

/** Of a family only the newest record was not replaced by another. */
export const NEWEST_OF_FAMILY = sql<boolean>`revoked_reason is distinct from 'rotated'`;

/** Sessions of users, newest first, at most 100 each, live or not. One statement for all of them. */
export async function listSessions(db: Database, userIds: readonly string[], now: Date): Promise<Session[]> {
  const { rows } = await sql<Session>`
    select sessions.* from unnest(${[...userIds]}::uuid[]) as users (id) cross join lateral (
      select ${columns(now)} from refresh_tokens where user_id = users.id and ${NEWEST_OF_FAMILY}
      order by created_at desc limit ${MOST_SESSIONS}
    ) as sessions`.execute(db.sql);
  return rows;
}

/** The live sessions of one user, newest first. */
export async function listLiveSessions(db: Database, userId: string, now: Date): Promise<Session[]> {
  const { rows } = await sql<Session>`
    select ${columns(now)} from refresh_tokens
    where user_id = ${userId} and ${NEWEST_OF_FAMILY} and not revoked and expires_at >= ${now}
    order by created_at desc limit ${MOST_SESSIONS}`.execute(db.sql);
  return rows;
}

/** @throws {AdminRefusal} for an unknown session */
export async function findSession(db: Sql, id: string, now: Date): Promise<Session> {
  const { rows } = isUuid(id)
    ? await sql<Session>`
        select ${columns(now)} from refresh_tokens
        where family_id = ${id} and ${NEWEST_OF_FAMILY} order by created_at desc limit 1`.execute(db)
    : { rows: [] };
  const [session] = rows;
  if (session === undefined) throw new AdminRefusal('session_unknown', 'There is no such session');
  return session;
}

/**
 * Ends a session of the caller's own (`ownerId`), or any with `sessions:write`. One that has ended stays as it is.
 * @throws {AdminRefusal}
 */
export function revokeSession(
  deps: AdminDependencies,
  by: By,
  ownerId: string | undefined,
  id: string,
): Promise<Session> {
  return administer(deps, by, undefined, async ({ sql: tx, now, held, audit }) => {
    const session = await findSession(tx, id, now).catch((error: unknown) => {
      demand(held, 'sessions:write'); // who may not end others' sessions is not told which there are
      throw error;
    });
    if (session.userId !== ownerId) demand(held, 'sessions:write');
    const ended = await revokeAll(tx, { familyId: id }, 'session_revoked', now);
    if (ended.length > 0) await audit(revoked(by, session.userId, id));
    return findSession(tx, id, now);
  });
}

/**
 * Ends every session of a user but one.
 * @returns how many ended
 * @throws {AdminRefusal}
 */
export function revokeOtherSessions(
  deps: AdminDependencies,
  by: By,
  userId: string,
  exceptFamilyId: string | undefined,
): Promise<number> {
  return administer(deps, by, undefined, async ({ sql: tx, now, audit }) => {
    const whose = { userId, ...(exceptFamilyId === undefined ? {} : { exceptFamilyId }) };
    const ended = await revokeAll(tx, whose, 'session_revoked', now);
    for (const familyId of ended) await audit(revoked(by, userId, familyId));
    return ended.length;
  });
}

function revoked(by: By, userId: string, familyId: string): AdminEvent {
  const metadata = { actor: by.actor, family_id: familyId };
  return { eventType: 'session_revoked', userId, ...by.client, metadata };
}
