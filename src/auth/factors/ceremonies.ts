/**
 * What waits for a proof, each for one success: the second step of a login, a challenge for a passkey, a secret that no code
 * has confirmed. Only the SHA-256 of a token is stored. (Interface 20)
 */
import { createHash } from 'node:crypto';
import type { CeremonyPurpose } from '../../db/entities/ceremony.js';
import { type Db, only, type RowOf, statement } from '../../db/statement.js';
import { FACTORS, type FactorName } from '../../domain/factors.js';
import { addSeconds } from '../../platform/clock.js';
import { randomBase64url } from '../../platform/ids.js';

export const CEREMONY_SECONDS = 300;
export const TOTP_ENROLMENT_SECONDS = 600;

/** 256 bits, as WebAuthn section 13.4.3 wants at least 16 bytes */
const TOKEN_BYTES = 32;

/** A token of a half login, which is also the form of a challenge for a passkey. */
export function newToken(): string {
  return randomBase64url(TOKEN_BYTES);
}

/** @param token of any form: an invalid one costs as much as a wrong one */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const beginHalfLoginSql = statement(
  'begin_half_login',
  {
    token_sha256: 'bytea',
    user_id: 'uuid',
    password_version: 'integer',
    renewed_hash: 'text?',
    device_id: 'uuid?',
    expires_at: 'timestamptz',
    now: 'timestamptz',
  },
  { kinds: 'text[]', has_codes: 'boolean' },
)`
  with same as (
    select id from users
    where id = :user_id and is_active and password_version = :password_version and has_factors and case
      when :device_id is null then locked_until is null or locked_until <= :now
      else exists (
        select from known_devices as device where device.id = :device_id and device.user_id = users.id
          and (device.locked_until is null or device.locked_until <= :now)
      )
    end
    for no key update
  ), renewed as (
    update users set password_hash = :renewed_hash from same where users.id = same.id and :renewed_hash is not null
  ), begun as (
    insert into ceremonies (token_sha256, purpose, user_id, password_version, expires_at)
    select :token_sha256, 'half_login', id, :password_version, :expires_at from same
    returning user_id
  )
  select coalesce(array(select distinct kind from factors where factors.user_id = begun.user_id), '{}') as kinds,
    exists (select from recovery_codes where recovery_codes.user_id = begun.user_id) as has_codes
  from begun`;

export interface HalfLogin {
  /** Proves that the password was right, to `POST /auth/login/factor` alone */
  challenge: string;
  /** What the user has */
  factors: FactorName[];
}

interface CheckedPassword {
  id: string;
  password_version: number;
  renewedHash: string | undefined;
  /** Interface 16: of the known device, whose lock it is then */
  deviceId: string | undefined;
}

/**
 * Begins a login of a user with a factor, whose password was right. It starts no session, and neither counts nor resets.
 * @returns undefined if the user was locked, changed or left without a factor since it was read
 */
export async function beginHalfLogin(db: Db, checked: CheckedPassword, now: Date): Promise<HalfLogin | undefined> {
  const challenge = newToken();
  const [begun] = await db.run(beginHalfLoginSql, {
    token_sha256: hashOf(challenge),
    user_id: checked.id,
    password_version: checked.password_version,
    renewed_hash: checked.renewedHash ?? null,
    device_id: checked.deviceId ?? null,
    expires_at: addSeconds(now, CEREMONY_SECONDS),
    now,
  });
  if (begun === undefined) return undefined;
  const has = (factor: FactorName) => (factor === 'recovery_code' ? begun.has_codes : begun.kinds.includes(factor));
  return { challenge, factors: FACTORS.filter(has) };
}

/** Of a user whose password is as it was when it began. */
const OF_SAME_USER = 'users.id = user_id and is_active and users.password_version = ceremonies.password_version';

const halfLoginSql = statement(
  'half_login',
  { token_sha256: 'bytea', now: 'timestamptz' },
  { user_id: 'uuid', email: 'text', password_version: 'integer' },
)`
  select users.id as user_id, email, users.password_version from ceremonies join users on ${OF_SAME_USER}
  where token_sha256 = :token_sha256 and purpose = 'half_login' and expires_at > :now`;

export type HalfLoginRow = RowOf<typeof halfLoginSql>;

/** @returns undefined if it is unknown, used, expired or ended */
export async function findHalfLogin(db: Db, tokenSha256: Buffer, now: Date): Promise<HalfLoginRow | undefined> {
  const [found] = await db.run(halfLoginSql, { token_sha256: tokenSha256, now });
  return found;
}

const beginSql = statement(
  'begin_ceremony',
  {
    token_sha256: 'bytea',
    purpose: only<CeremonyPurpose>('text'),
    user_id: 'uuid?',
    password_version: 'integer?',
    family_id: 'uuid?',
    half_login_sha256: 'bytea?',
    user_handle: 'bytea?',
    sealed_secret: 'text?',
    expires_at: 'timestamptz',
  },
  {},
)`
  with replaced as (
    delete from ceremonies where user_id = :user_id and purpose = :purpose and purpose = 'totp_enrolment'
  )
  insert into ceremonies
    (token_sha256, purpose, user_id, password_version, family_id, half_login_sha256, user_handle, sealed_secret, expires_at)
  values (:token_sha256, :purpose, :user_id, :password_version, :family_id, :half_login_sha256, :user_handle,
    :sealed_secret, :expires_at)`;

export interface NewCeremony {
  token: string;
  purpose: Exclude<CeremonyPurpose, 'half_login'>;
  expiresAt: Date;
  /** Of a passkey login there is none yet */
  user?: { id: string; password_version: number };
  /** The session of a confirmation or an enrolment */
  familyId?: string;
  halfLoginSha256?: Buffer;
  userHandle?: Uint8Array;
  sealedSecret?: string;
}

/** A user has one new authenticator app at a time: it replaces the one before. */
export async function beginCeremony(db: Db, ceremony: NewCeremony): Promise<void> {
  await db.run(beginSql, {
    token_sha256: hashOf(ceremony.token),
    purpose: ceremony.purpose,
    user_id: ceremony.user?.id ?? null,
    password_version: ceremony.user?.password_version ?? null,
    family_id: ceremony.familyId ?? null,
    half_login_sha256: ceremony.halfLoginSha256 ?? null,
    user_handle: ceremony.userHandle ?? null,
    sealed_secret: ceremony.sealedSecret ?? null,
    expires_at: ceremony.expiresAt,
  });
}

const takeSql = statement(
  'take_ceremony',
  {
    token_sha256: 'bytea',
    purpose: only<CeremonyPurpose>('text'),
    user_id: 'uuid?',
    family_id: 'uuid?',
    half_login_sha256: 'bytea?',
    now: 'timestamptz',
  },
  { user_handle: 'bytea?' },
)`
  delete from ceremonies
  where token_sha256 = :token_sha256 and purpose = :purpose and expires_at > :now
    and user_id is not distinct from :user_id and family_id is not distinct from :family_id
    and half_login_sha256 is not distinct from :half_login_sha256
    and (user_id is null or exists (select from users where ${OF_SAME_USER}))
  returning user_handle`;

/** The same as when it began. */
export type Bound = Pick<NewCeremony, 'token' | 'purpose' | 'familyId' | 'halfLoginSha256'> & { userId?: string };

/**
 * Uses up a challenge for a passkey, before its answer is checked.
 * @returns undefined if it is unknown, used or expired, or belongs to something else
 */
export async function takeCeremony(
  db: Db,
  { token, purpose, userId, familyId, halfLoginSha256 }: Bound,
  now: Date,
): Promise<RowOf<typeof takeSql> | undefined> {
  const [used] = await db.run(takeSql, {
    token_sha256: hashOf(token),
    purpose,
    user_id: userId ?? null,
    family_id: familyId ?? null,
    half_login_sha256: halfLoginSha256 ?? null,
    now,
  });
  return used;
}

const enrolmentSql = statement(
  'totp_enrolment',
  { token_sha256: 'bytea', user_id: 'uuid', family_id: 'uuid', now: 'timestamptz' },
  { sealed_secret: 'text?' },
)`
  select sealed_secret from ceremonies
  where token_sha256 = :token_sha256 and purpose = 'totp_enrolment' and user_id = :user_id and family_id = :family_id
    and expires_at > :now and exists (select from users where ${OF_SAME_USER})`;

/** @param id of the authenticator app to be. @returns its sealed secret; undefined if the session has not begun it */
export async function findEnrolment(
  db: Db,
  id: string,
  { userId, familyId }: { userId: string; familyId: string },
  now: Date,
): Promise<string | undefined> {
  const values = { token_sha256: hashOf(id), user_id: userId, family_id: familyId, now };
  const [found] = await db.run(enrolmentSql, values);
  return found?.sealed_secret ?? undefined;
}
