/**
 * Sessions, each a family of refresh-token records. Only this file, `revocations.ts`, `retries.ts` and
 * `factors/sessions.ts` write `refresh_tokens`; triggers keep the table `sessions` in step. (Spec 3.1 rows 1 and 2)
 */
import { eventRows, insertEvents } from '../audit/write.js';
import { batched, type Db, only, type RowOf, statement } from '../db/statement.js';
import { type Expiring, expiringInKeyOrder } from '../db/sweeper.js';
import type { AuthenticationMethod } from '../domain/assurance.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { Role } from '../domain/roles.js';
import type { SessionUser } from './account.js';

/** The new fields of a record; the others come from the user or the predecessor. */
export interface NewRecord {
  jti: string;
  expiresAt: Date;
  origin: RequestOrigin;
}

export const NEW_RECORD = {
  jti: 'uuid',
  user_agent: 'text',
  ip_address: 'text',
  expires_at: 'timestamptz',
  now: 'timestamptz',
} as const;

export function newRecord({ jti, expiresAt, origin }: NewRecord, now: Date) {
  return { jti, user_agent: origin.userAgent, ip_address: origin.ipAddress, expires_at: expiresAt, now };
}

const START = {
  ...NEW_RECORD,
  user_id: 'uuid',
  password_version: 'integer',
  renewed_hash: 'text?',
  family_id: 'uuid',
  events: 'jsonb',
} as const;
export const STARTED = { role: only<Role>('text') };

/** The user, if the password that was checked is still theirs. */
export const SAME_USER = 'id = :user_id and is_active and password_version = :password_version';
/** Of a login by the password alone. */
const NO_FACTOR = 'not has_factors';
export const NOT_LOCKED = '(locked_until is null or locked_until <= :now)';
const LOGGED_IN = 'last_login_at = :now, password_hash = coalesce(:renewed_hash, password_hash)';
/** Spec 3.2 row 5. */
const RESET_ACCOUNT = `
  with reset as (
    update users set failed_login_attempts = 0, locked_until = null, ${LOGGED_IN}
    where ${SAME_USER} and ${NO_FACTOR} and ${NOT_LOCKED}
    returning role
  )`;

/** @param device SQL of its id @param amr SQL of how it was proved; null: by the password */
export function startsSession(device: string, amr = 'null') {
  return `stored as (
    insert into refresh_tokens
      (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at, device_id, amr)
    select :jti, :user_id, :family_id, :user_agent, :ip_address, :expires_at, :now, :now, ${device}, ${amr} from reset
  )`;
}

function withRole(more = '') {
  return `audited as (
    ${insertEvents(`jsonb_set(:events, '{0,metadata}', jsonb_build_object('role', role${more}))`, 'reset')}
  )
  select role from reset`;
}

const startSessionSql = statement(
  'start_session',
  START,
  STARTED,
)`${RESET_ACCOUNT}, ${startsSession('null')}, ${withRole()}`;

/** Interface 16: the login makes its device known. */
const startOnNewDeviceSql = statement(
  'start_session_on_new_device',
  { ...START, device_id: 'uuid', secret_sha256: 'bytea' },
  STARTED,
)`
  ${RESET_ACCOUNT}, device as (
    insert into known_devices (id, user_id, secret_sha256, user_agent, created_at, last_used_at)
    select :device_id, :user_id, :secret_sha256, :user_agent, :now, :now from reset
  ), ${startsSession(':device_id')}, ${withRole()}`;

/**
 * Interface 16: the lock and the failures are those of the device; the account's stay, since others made them. The user is
 * locked first, as by every other change.
 */
const startOnKnownDeviceSql = statement('start_session_on_known_device', { ...START, device_id: 'uuid' }, STARTED)`
  with owner as (
    select id from users where ${SAME_USER} and ${NO_FACTOR} for update
  ), device as (
    update known_devices
    set failed_login_attempts = 0, locked_until = null, user_agent = :user_agent, last_used_at = :now
    from owner
    where known_devices.id = :device_id and user_id = owner.id and ${NOT_LOCKED}
    returning user_id
  ), reset as (
    update users set ${LOGGED_IN} from device where id = user_id returning role
  ), ${startsSession(':device_id')}, ${withRole()}`;

export interface NewSession extends NewRecord {
  user: SessionUser;
  familyId: string;
  /** Replaces the stored hash if the hashing parameters have changed */
  renewedHash: string | undefined;
  /** Interface 16: becomes known by this login */
  newDevice: { id: string; secretSha256: Uint8Array } | undefined;
}

/**
 * Spec 4.1 steps 5 and 6 in one statement: resets the failure state, sets `last_login_at`, stores the first record of
 * a new family and writes `login_success`.
 * @returns the user's role at this moment; undefined if nothing was written, because the user was locked, deactivated,
 *   deleted, or given another password or a first factor after it was read
 */
export async function startSession(db: Db, session: NewSession, now: Date): Promise<Role | undefined> {
  const { user, familyId, origin, newDevice, renewedHash = null } = session;
  const event = { eventType: 'login_success', userId: user.id, ...origin, metadata: null } as const;
  const values = {
    ...newRecord(session, now),
    user_id: user.id,
    password_version: user.password_version,
    renewed_hash: renewedHash,
    family_id: familyId,
    events: eventRows([event], now),
  };
  const [started] =
    user.device !== undefined
      ? await db.run(startOnKnownDeviceSql, { ...values, device_id: user.device.id })
      : newDevice !== undefined
        ? await db.run(startOnNewDeviceSql, {
            ...values,
            device_id: newDevice.id,
            secret_sha256: newDevice.secretSha256,
          })
        : await db.run(startSessionSql, values);
  return started?.role;
}

const rotateOneSql = statement(
  'rotate',
  { ...NEW_RECORD, used: 'uuid', retry_key_sha256: 'bytea?' },
  {
    user_id: 'uuid',
    family_id: 'uuid',
    session_started_at: 'timestamptz',
    amr: only<AuthenticationMethod[] | null>('text[]?'),
    proved_at: 'timestamptz?',
    role: only<Role>('text'),
  },
)`
  with claimed as (
    update refresh_tokens set revoked = true, revoked_reason = 'rotated', revoked_at = :now
    where jti = :used and not revoked and expires_at >= :now
    returning user_id, family_id, session_started_at, device_id, amr, proved_at
  ), stored as (
    insert into refresh_tokens
      (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at, device_id,
        amr, proved_at, retry_key_sha256, predecessor_jti)
    select :jti, user_id, family_id, :user_agent, :ip_address, :expires_at, :now, session_started_at, device_id,
      amr, proved_at, :retry_key_sha256, case when :retry_key_sha256 is not null then :used end
    from claimed
  )
  select claimed.user_id, claimed.family_id, claimed.session_started_at, claimed.amr, claimed.proved_at,
    coalesce(users.role, 'viewer') as role -- Spec 4.2.9: the user row may be gone
  from claimed left join users on users.id = claimed.user_id`;

const rotateSql = batched(rotateOneSql, { lanes: 2, identity: ({ used }) => used })`
  locked as materialized (
    select asked.*, live.*
    from asked, lateral (
      select ctid as tuple_id, user_id, family_id, session_started_at, device_id, amr, proved_at
      from refresh_tokens where jti = asked.used and not revoked and refresh_tokens.expires_at >= asked.now
      for no key update skip locked
    ) as live
  ), claimed as (
    update refresh_tokens set revoked = true, revoked_reason = 'rotated', revoked_at = now
    from locked where refresh_tokens.ctid = tuple_id
    returning locked.*
  ), stored as (
    insert into refresh_tokens
      (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at, device_id,
        amr, proved_at, retry_key_sha256, predecessor_jti)
    select jti, user_id, family_id, user_agent, ip_address, expires_at, now, session_started_at, device_id,
      amr, proved_at, retry_key_sha256, case when retry_key_sha256 is not null then used end
    from claimed
  )
  select n, user_id, family_id, session_started_at, amr, proved_at,
    coalesce((select role from users where id = user_id), 'viewer') as role
  from claimed`;

export type Rotated = RowOf<typeof rotateSql>;

/**
 * Spec 3.1 row 2 and 4.2 step 9 in one statement: claims the active record, stores its successor in the same family
 * and reads the user's role. Only one of several concurrent presentations claims the row.
 * @param retryKeySha256 hash of the key that proves a retry of this rotation (Interface 12), if there is one
 * @returns owner, family, time of its login, how it was proved, and current role; undefined if no active record has this `jti`
 */
export async function rotate(
  db: Db,
  jti: string,
  successor: NewRecord,
  retryKeySha256: Uint8Array | null,
  now: Date,
): Promise<Rotated | undefined> {
  const values = { ...newRecord(successor, now), used: jti, retry_key_sha256: retryKeySha256 };
  const [rotated] = await db.run(rotateSql, values);
  return rotated;
}

/** SQL that picks the newest record of a family: the only one that no rotation has replaced. */
export const NEWEST = "revoked_reason is distinct from 'rotated'";

/** Used records stay until a day after they expire. If they went earlier, reuse would be "not recognised", not theft. */
export function expiredRecords(): Expiring {
  return expiringInKeyOrder('refresh_tokens', 'jti', 'expires_at < :before', 86_400);
}

const eraseRecordsSql = statement('erase_records', { id: 'uuid', pseudonym: 'text' }, { jti: 'uuid' })`
  update refresh_tokens
  set ip_address = :pseudonym, user_agent = case when user_agent > '' then :pseudonym else user_agent end,
    retried_ip_address = case when retried_ip_address is not null then :pseudonym end,
    retried_user_agent = case when retried_user_agent > '' then :pseudonym else retried_user_agent end
  where family_id in (select family_id from sessions where user_id = :id) and ip_address <> :pseudonym
  returning jti`;

/**
 * Puts a pseudonym in the place of addresses and user agents. The records stay until they expire, because a used token that
 * comes back is a theft.
 * @returns number of records changed
 */
export async function eraseOrigins(db: Db, userId: string, pseudonym: string): Promise<number> {
  return (await db.run(eraseRecordsSql, { id: userId, pseudonym })).length;
}
