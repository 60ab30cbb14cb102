/**
 * Spec 3.1: sessions, each a family of refresh-token records. With `retries.ts` the only writer of their table; that of
 * the sessions themselves follows it by triggers.
 */
import type { AuthEvent } from '../audit/events.js';
import { type EventToWrite, eventRows, insertEvents } from '../audit/write.js';
import type { RevokedReason } from '../db/entities/refresh-token.js';
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import type { Client } from '../remote-client.js';
import type { Role } from '../roles.js';
import type { LoginUser } from './account.js';

/** What is new about a record; the rest comes from the user or from its predecessor. */
export interface NewRecord {
  jti: string;
  expiresAt: Date;
  client: Client;
}

const NEW_RECORD = {
  jti: 'uuid',
  user_agent: 'text',
  ip_address: 'text',
  expires_at: 'timestamptz',
  now: 'timestamptz',
} as const;

function newRecord({ jti, expiresAt, client }: NewRecord, now: Date) {
  return { jti, user_agent: client.userAgent, ip_address: client.ipAddress, expires_at: expiresAt, now };
}

const startSessionSql = statement(
  'start_session',
  {
    ...NEW_RECORD,
    user_id: 'uuid',
    password_version: 'integer',
    renewed_hash: 'text?',
    family_id: 'uuid',
    events: 'jsonb',
  },
  { role: only<Role>('text') },
)`
  with reset as (
    update users
    set failed_login_attempts = 0, locked_until = null, last_login_at = :now,
      password_hash = coalesce(:renewed_hash, password_hash)
    where id = :user_id and is_active and password_version = :password_version
      and (locked_until is null or locked_until <= :now)
    returning role
  ), stored as (
    insert into refresh_tokens
      (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at)
    select :jti, :user_id, :family_id, :user_agent, :ip_address, :expires_at, :now, :now from reset
  ), audited as (
    ${insertEvents(`jsonb_set(:events, '{0,metadata}', jsonb_build_object('role', role))`, 'reset')}
  )
  select role from reset`;

export interface NewSession extends NewRecord {
  user: LoginUser;
  familyId: string;
  /** Replaces the stored hash, where the parameters of hashing have changed */
  renewedHash: string | undefined;
}

/**
 * Spec 4.1 steps 5 and 6 in one statement: resets the failure state, sets `last_login_at`, stores the first record of
 * a new family and writes `login_success`.
 * @returns the user's role at this moment; undefined where nothing was written, because the user has been locked,
 *   deactivated, removed or given another password since it was read
 */
export async function startSession(db: Db, session: NewSession, now: Date): Promise<Role | undefined> {
  const { user, familyId, client, renewedHash = null } = session;
  const event = { eventType: 'login_success', userId: user.id, ...client, metadata: null } as const;
  const [started] = await db.run(startSessionSql, {
    ...newRecord(session, now),
    user_id: user.id,
    password_version: user.password_version,
    renewed_hash: renewedHash,
    family_id: familyId,
    events: eventRows([event], now),
  });
  return started?.role;
}

const rotateSql = statement(
  'rotate',
  { ...NEW_RECORD, used: 'uuid', retry_key_sha256: 'bytea?' },
  { user_id: 'uuid', family_id: 'uuid', role: only<Role>('text') },
)`
  with claimed as (
    update refresh_tokens set revoked = true, revoked_reason = 'rotated', revoked_at = :now
    where jti = :used and not revoked and expires_at >= :now
    returning user_id, family_id, session_started_at
  ), stored as (
    insert into refresh_tokens
      (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at, retry_key_sha256,
        predecessor_jti)
    select :jti, user_id, family_id, :user_agent, :ip_address, :expires_at, :now, session_started_at, :retry_key_sha256,
      case when :retry_key_sha256 is not null then :used end
    from claimed
  )
  select claimed.user_id, claimed.family_id, coalesce(users.role, 'viewer') as role -- Spec 4.2.9: the user row may be gone
  from claimed left join users on users.id = claimed.user_id`;

/**
 * Spec 3.1 row 2 and 4.2 step 9 in one statement: claims the active record, stores its successor in the same family
 * and reads the user's role. Of any number of concurrent presentations one claims the row.
 * @param retryKeySha256 of the key that proves a retry of this rotation (Interface 12); null where there is to be none
 * @returns owner, family and current role; undefined where no active record has this `jti`
 */
export async function rotate(
  db: Db,
  jti: string,
  successor: NewRecord,
  retryKeySha256: Uint8Array | null,
  now: Date,
): Promise<RowOf<typeof rotateSql> | undefined> {
  const values = { ...newRecord(successor, now), used: jti, retry_key_sha256: retryKeySha256 };
  const [rotated] = await db.run(rotateSql, values);
  return rotated;
}

/** All records of a session, or of a user, or of a user but for one session. */
export type Whose = { familyId: string } | { userId: string; exceptFamilyId?: string | undefined };

/** Of a family only the newest record was not replaced by another. */
export const NEWEST = "revoked_reason is distinct from 'rotated'";

/** @param of what they are of, for the names of the statements @param families SQL of a condition on `:id` */
function revocation(of: string, families: string) {
  const unrevoked = `not revoked and family_id ${families} and family_id is distinct from :except`;
  const revoke = statement(
    `revoke_of_${of}`,
    { id: 'uuid', except: 'uuid?', reason: 'text', now: 'timestamptz' },
    { family_id: 'uuid', expires_at: 'timestamptz' },
  )`
    update refresh_tokens set revoked = true, revoked_reason = :reason, revoked_at = :now
    where ${unrevoked}
    returning family_id, expires_at`;
  const survivor = statement(`survivor_of_${of}`, { id: 'uuid', except: 'uuid?' }, { jti: 'uuid' })`
    select jti from refresh_tokens where ${unrevoked} limit 1`;
  return { revoke, survivor };
}

const ofFamily = revocation('family', '= :id');
const ofUser = revocation('user', 'in (select family_id from sessions where user_id = :id)');

/**
 * Revokes every record of a family or of a user; call it in a transaction. One UPDATE is not enough under READ
 * COMMITTED: it may wait for a rotation and then miss the successor that this rotation inserted. So a new statement
 * looks again, until none is left.
 * @returns the families that were live: with a record that had not expired
 */
export async function revokeAll(db: Db, whose: Whose, reason: RevokedReason, now: Date): Promise<string[]> {
  const isFamily = 'familyId' in whose;
  const { revoke, survivor } = isFamily ? ofFamily : ofUser;
  const records = isFamily
    ? { id: whose.familyId, except: null }
    : { id: whose.userId, except: whose.exceptFamilyId ?? null };
  const live = new Set<string>();
  for (;;) {
    const revoked = await db.run(revoke, { ...records, reason, now });
    for (const { family_id, expires_at } of revoked) if (expires_at >= now) live.add(family_id);
    const survivors = await db.run(survivor, records);
    if (survivors.length === 0) return [...live];
  }
}

const refuseSql = statement(
  'refuse',
  { jti: 'uuid', now: 'timestamptz', is_repeat: 'boolean', events: 'jsonb' },
  { family_id: 'uuid', revoked: 'boolean', audited: 'boolean' },
)`
  with presented as (
    select family_id, revoked from refresh_tokens where jti = :jti
  ), ended as (
    update refresh_tokens set revoked = true, revoked_reason = 'token_theft', revoked_at = :now
    where family_id = (select family_id from presented where revoked) and not revoked
    returning expires_at
  ), audited as (
    ${insertEvents(`jsonb_set(:events, '{0,metadata,family_id}', to_jsonb(family_id))`, 'presented')}
    where revoked and (not :is_repeat or exists (select from ended where expires_at >= :now))
    returning id
  )
  select family_id, revoked, exists (select from audited) as audited from presented`;

/** Why no rotation came of a `jti`. A theft has ended its family; `audited` is false where its event was left out. */
export type NotRotated = { kind: 'unknown' | 'expired' } | { kind: 'theft'; audited: boolean };

/**
 * Spec 4.2 steps 6 to 8, of a `jti` that was not rotated. Theft revokes the family and writes `token_theft` in the
 * statement that finds it; another one looks whether a record is left, as in `revokeAll`.
 * @param event without the family, which the statement finds
 * @param isRepeat true: the event is written only where a live record was revoked
 */
export async function refuse(
  db: Db,
  jti: string,
  event: EventToWrite & { eventType: 'token_theft' },
  isRepeat: boolean,
  now: Date,
): Promise<NotRotated> {
  let events = eventRows([event], now);
  for (;;) {
    const [found] = await db.run(refuseSql, { jti, now, is_repeat: isRepeat, events });
    if (found === undefined) return { kind: 'unknown' };
    if (!found.revoked) return { kind: 'expired' };
    if (found.audited) events = [];
    const survivors = await db.run(ofFamily.survivor, { id: found.family_id, except: null });
    if (survivors.length === 0) return { kind: 'theft', audited: events.length === 0 };
  }
}

const revokeRecordSql = statement(
  'revoke_record',
  { jti: 'uuid?', now: 'timestamptz', is_repeat: 'boolean', events: 'jsonb' },
  { id: 'uuid' },
)`
  with ended as (
    update refresh_tokens
    set revoked = true, revoked_reason = case when revoked then revoked_reason else 'logout' end,
      revoked_at = case when revoked then revoked_at else :now end, retry_ended = case when revoked then true end
    where jti = :jti and (not revoked or (revoked_reason = 'rotated' and retry_ended is null))
    returning revoked_reason
  ), audited as (
    ${insertEvents()} where not :is_repeat or exists (select from ended where revoked_reason = 'logout')
    returning id
  )
  select id from audited`;

/**
 * Spec 4.3: revokes the record of this `jti`, if there is one, and writes `logout`, in one statement. A record that was
 * used before stays as it is, but no retry of its rotation is answered any more (Interface 12).
 * @param jti null where the claim is no UUID, so that no record has it
 * @param isRepeat true: the event is written only where a record was revoked
 * @returns false where the event was left out
 */
export async function revokeRecord(
  db: Db,
  jti: string | null,
  event: AuthEvent & { eventType: 'logout' },
  isRepeat: boolean,
  now: Date,
): Promise<boolean> {
  const written = await db.run(revokeRecordSql, { jti, now, is_repeat: isRepeat, events: eventRows([event], now) });
  return written.length > 0;
}

/** Used records stay until they expire (and a day more), or their reuse would read "not recognised" instead of theft. */
export const expiredRecords: Expiring = expiring('refresh_tokens', 'jti', 'expires_at < :before', 86_400);
