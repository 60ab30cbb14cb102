/** Reads whether a session is live, and its user as they are now. (Interface 22 and 23) */
import { batched, type Db, only, statement } from '../db/statement.js';
import { type AuthenticationMethod, BY_PASSWORD } from '../domain/assurance.js';
import type { Role } from '../domain/roles.js';

/** A session of two weeks has thousands of records, of which the newest says whether it is live. */
const NEWEST = 4;

/**
 * Reads the newest records alone, unless all of them were rotated: then clocks of instances differ, and an older one is live.
 * @param family SQL of its id @param now SQL of an instant
 */
const liveRecord = (family: string, now: string): string => `lateral (
    with newest as (
      select amr, proved_at, session_started_at, revoked, revoked_reason, expires_at from refresh_tokens
      where family_id = ${family} order by created_at desc limit ${NEWEST}
    )
    select amr, proved_at, session_started_at from newest where not revoked and newest.expires_at >= ${now}
    union all
    select amr, proved_at, session_started_at from refresh_tokens
    where family_id = ${family} and not revoked and refresh_tokens.expires_at >= ${now}
      and not exists (select from newest where revoked_reason is distinct from 'rotated')
    limit 1
  ) as live`;

const LIVE = {
  role: only<Role>('text'),
  amr: only<AuthenticationMethod[] | null>('text[]?'),
  proved_at: 'timestamptz',
} as const;
const LIVE_COLUMNS = 'role, amr, coalesce(proved_at, session_started_at) as proved_at';

const oneLiveSessionSql = statement('live_session', { family_id: 'uuid', user_id: 'uuid', now: 'timestamptz' }, LIVE)`
  select ${LIVE_COLUMNS}
  from users, ${liveRecord(':family_id', ':now')}
  where users.id = :user_id and is_active`;

/** Of each other independent: a page with thirty images asks thirty times at once. */
const liveSessionSql = batched(oneLiveSessionSql, { lanes: 2, identity: () => ({}) })`
  live_sessions as (
    select n, ${LIVE_COLUMNS}
    from asked join users on users.id = asked.user_id and is_active, ${liveRecord('asked.family_id', 'asked.now')}
  )
  select * from live_sessions`;

export interface LiveSession {
  /** Of the user now */
  role: Role;
  amr: readonly AuthenticationMethod[];
  /** The latest proof of the session */
  provedAt: Date;
}

/** @returns undefined if the session has ended, or the user is deactivated or deleted */
export async function readLiveSession(
  db: Db,
  { sub, sid }: { sub: string; sid: string },
  now: Date,
): Promise<LiveSession | undefined> {
  const [live] = await db.run(liveSessionSql, { family_id: sid, user_id: sub, now });
  return live && { role: live.role, amr: live.amr ?? BY_PASSWORD, provedAt: live.proved_at };
}
