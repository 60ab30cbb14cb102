/** Sessions of users with a second factor: how they start, and how they are proved again. (Interface 20) */
import { type EventToWrite, eventRows, insertEvents } from '../../audit/write.js';
import { batched, type Db, type Fields, only, type RowOf, statement } from '../../db/statement.js';
import { AUTHENTICATION_METHODS, type AuthenticationMethod, BY_PASSWORD } from '../../domain/assurance.js';
import type { Role } from '../../domain/roles.js';
import { NEW_RECORD, type NewSession, NOT_LOCKED, newRecord, SAME_USER, STARTED, startsSession } from '../sessions.js';

const WITH_FACTOR = {
  ...NEW_RECORD,
  user_id: 'uuid',
  password_version: 'integer',
  family_id: 'uuid',
  half_login_sha256: 'bytea?',
  device_id: 'uuid?',
  /** With spaces between: an array of arrays would be one */
  amr: 'text',
  events: 'jsonb',
} as const;

const AMR = "string_to_array(:amr, ' ')";

/** Parameters of the factor that was right */
const OF_FACTOR = { factor_id: 'uuid', step: 'integer?', sign_count: 'bigint?' } as const;
const OF_CODE = { code_sha256: 'bytea' } as const;

/** Uses up a step, a counter or a recovery code. @param from the table with the `id` of the user, whose row is locked */
const usesFactor = (from: string): string => `
    update factors set last_used_at = :now, last_step = coalesce(:step, last_step),
      sign_count = greatest(sign_count, :sign_count)
    from ${from} as proving where factors.id = :factor_id and user_id = proving.id
      and (:step is null or last_step is null or last_step < :step)`;
const usesCode = (from: string): string => `
    delete from recovery_codes using ${from} as proving
    where user_id = proving.id and code_sha256 = :code_sha256`;

/**
 * The second step of a login, or a login by a passkey: uses up the factor and the half login, and starts the session, in one
 * statement. The user is locked first, as by every other change.
 * @param uses SQL that uses up what was right
 * @param metadata SQL of the events
 */
const startingBy = <const Parameters extends Fields>(
  name: string,
  parameters: Parameters,
  uses: (from: string) => string,
  metadata: string,
) => {
  /** Another proof may have used up the half login while this one waited for the user: then it uses up nothing of its own. */
  const usedUp = `half as (
    select token_sha256 from ceremonies join proving on ceremonies.user_id = proving.id
    where token_sha256 = :half_login_sha256 and purpose = 'half_login' and expires_at > :now
    for update of ceremonies
  ), used as (${uses('proving')} and (:half_login_sha256 is null or exists (select from half))
    returning user_id
  ), ended as (
    delete from ceremonies using half, used where ceremonies.token_sha256 = half.token_sha256
  )`;
  const audited = `audited as (${insertEvents(metadata, 'reset')})
  select role from reset`;
  const all = { ...WITH_FACTOR, ...parameters };
  return {
    onUnknownDevice: statement(`start_session_by_${name}`, { ...all, secret_sha256: 'bytea?' }, STARTED)`
  with proving as (
    select id from users where ${SAME_USER} and has_factors and ${NOT_LOCKED} for update
  ), ${usedUp}, reset as (
    update users set failed_login_attempts = 0, locked_until = null, last_login_at = :now
    from used where users.id = used.user_id
    returning role
  ), device as (
    insert into known_devices (id, user_id, secret_sha256, user_agent, created_at, last_used_at)
    select :device_id, :user_id, :secret_sha256, :user_agent, :now, :now from reset where :device_id is not null
  ), ${startsSession(':device_id', AMR)}, ${audited}`,
    onKnownDevice: statement(`start_session_on_known_device_by_${name}`, all, STARTED)`
  with owner as (
    select id from users where ${SAME_USER} and has_factors for update
  ), proving as (
    select owner.id from known_devices join owner on user_id = owner.id
    where known_devices.id = :device_id and ${NOT_LOCKED}
    for update of known_devices
  ), ${usedUp}, device as (
    update known_devices
    set failed_login_attempts = 0, locked_until = null, user_agent = :user_agent, last_used_at = :now
    from used where known_devices.id = :device_id
  ), reset as (
    update users set last_login_at = :now from used where users.id = used.user_id returning role
  ), ${startsSession(':device_id', AMR)}, ${audited}`,
  };
};

const ROLE_ADDED = `jsonb_set(:events, '{0,metadata,role}', to_jsonb(role))`;
const byOneFactor = startingBy('factor', OF_FACTOR, usesFactor, ROLE_ADDED);
/** A call whose user another transaction has locked is left out, and waits alone. */
const byFactor = {
  ...byOneFactor,
  onUnknownDevice: batched(byOneFactor.onUnknownDevice, { lanes: 2, identity: ({ user_id }) => user_id })`
  proving as materialized (
    select asked.* from asked, lateral (
      select from users
      where id = asked.user_id and is_active and password_version = asked.password_version and has_factors
        and (locked_until is null or locked_until <= asked.now)
      for update skip locked
    ) as same
  ), half as materialized (
    select n, token_sha256 from proving, lateral (
      select token_sha256 from ceremonies
      where token_sha256 = proving.half_login_sha256 and purpose = 'half_login'
        and user_id = proving.user_id and ceremonies.expires_at > now
      for update skip locked
    ) as half
  ), used as (
    update factors set last_used_at = now, last_step = coalesce(step, last_step),
      sign_count = greatest(factors.sign_count, proving.sign_count)
    from proving left join half using (n)
    where factors.id = factor_id and factors.user_id = proving.user_id
      and (step is null or last_step is null or last_step < step)
      and (half_login_sha256 is null or token_sha256 is not null)
    returning proving.*
  ), ended as (
    delete from ceremonies using used where token_sha256 = used.half_login_sha256
  ), reset as (
    update users set failed_login_attempts = 0, locked_until = null, last_login_at = now
    from used where users.id = used.user_id
    returning used.*, role
  ), device as (
    insert into known_devices (id, user_id, secret_sha256, user_agent, created_at, last_used_at)
    select device_id, user_id, secret_sha256, user_agent, now, now from reset where device_id is not null
  ), stored as (
    insert into refresh_tokens
      (jti, user_id, family_id, user_agent, ip_address, expires_at, created_at, session_started_at, device_id, amr)
    select jti, user_id, family_id, user_agent, ip_address, expires_at, now, now, device_id, string_to_array(amr, ' ')
    from reset
  ), audited as (
    ${insertEvents("jsonb_set(events, '{0,metadata,role}', to_jsonb(role))", '(select events, role from reset) as started')}
  )
  select n, role from reset`,
};
/** The user is locked, so no other code of theirs is used at the same time. */
const LEFT = '(select count(*) - 1 from recovery_codes where user_id = :user_id)';
const byCode = startingBy(
  'recovery_code',
  OF_CODE,
  usesCode,
  `jsonb_set(${ROLE_ADDED}, '{1,metadata,left}', to_jsonb(${LEFT}))`,
);

/** What a proof uses up: the step of a code or the counter of a passkey, or a recovery code. */
export type Used = { factorId: string; step: number | null; signCount: number | null } | { codeSha256: Uint8Array };

function factorValues({ factorId, step, signCount }: Extract<Used, { factorId: string }>) {
  return { factor_id: factorId, step, sign_count: signCount === null ? null : String(signCount) };
}

export interface FactorSession extends Omit<NewSession, 'renewedHash'> {
  used: Used;
  /** Undefined: a login by a passkey, without a password */
  halfLoginSha256: Uint8Array | undefined;
  amr: AuthenticationMethod[];
  /** `login_success`, and `recovery_code_used`, without what the statement adds */
  events: EventToWrite[];
}

/**
 * As `startSession`, for a user with a factor.
 * @returns undefined if nothing was written, because the user was locked, changed or left without the factor after it was
 *   read, or because the step, the code or the half login has been used
 */
export async function startSessionByFactor(db: Db, session: FactorSession, now: Date): Promise<Role | undefined> {
  const { user, used, newDevice } = session;
  const values = {
    ...newRecord(session, now),
    user_id: user.id,
    password_version: user.password_version,
    family_id: session.familyId,
    half_login_sha256: session.halfLoginSha256 ?? null,
    device_id: user.device?.id ?? newDevice?.id ?? null,
    secret_sha256: newDevice?.secretSha256 ?? null,
    amr: session.amr.join(' '),
    events: eventRows(session.events, now),
  };
  const form = user.device === undefined ? 'onUnknownDevice' : 'onKnownDevice';
  const [started] =
    'codeSha256' in used
      ? await db.run(byCode[form], { ...values, code_sha256: used.codeSha256 })
      : await db.run(byFactor[form], { ...values, ...factorValues(used) });
  return started?.role;
}

const takeFactorSql = statement(
  'take_factor',
  { user_id: 'uuid', ...OF_FACTOR, now: 'timestamptz' },
  { user_id: 'uuid' },
)`
  with proving as (select :user_id as id)
  ${usesFactor('proving')} returning user_id`;

/** Uses up the step of a code or the counter of a passkey. Call it under the lock of the user. @returns false if it is used */
export async function takeFactor(db: Db, userId: string, used: Used, now: Date): Promise<boolean> {
  if ('codeSha256' in used) return false; // no confirmation is by a recovery code
  return (await db.run(takeFactorSql, { user_id: userId, ...factorValues(used), now })).length > 0;
}

const LIVE = 'family_id = :family_id and user_id = :user_id and not revoked and expires_at >= :now';

const proveSql = statement(
  'prove_session',
  { family_id: 'uuid', user_id: 'uuid', methods: 'text[]?', now: 'timestamptz' },
  { session_started_at: 'timestamptz', amr: only<AuthenticationMethod[] | null>('text[]?') },
)`
  update refresh_tokens
  set proved_at = :now, amr = case when :methods is not null then array(
      select method from unnest('{${AUTHENTICATION_METHODS.join()}}'::text[]) as method
      where method = any (coalesce(amr, '{${BY_PASSWORD.join()}}') || :methods)
    ) end
  where ${LIVE}
  returning session_started_at, amr`;

const liveRecordSql = statement(
  'live_record',
  { family_id: 'uuid', user_id: 'uuid', now: 'timestamptz' },
  { session_started_at: 'timestamptz', amr: only<AuthenticationMethod[] | null>('text[]?'), proved_at: 'timestamptz?' },
)`
  select session_started_at, amr, proved_at from refresh_tokens where ${LIVE} order by created_at desc limit 1`;

export type LiveRecord = RowOf<typeof liveRecordSql>;
interface SessionOf {
  familyId: string;
  userId: string;
}

/** How a session was proved. @returns undefined if it has ended */
export async function findLiveRecord(
  db: Db,
  { familyId, userId }: SessionOf,
  now: Date,
): Promise<LiveRecord | undefined> {
  const [record] = await db.run(liveRecordSql, { family_id: familyId, user_id: userId, now });
  return record;
}

/**
 * Interface 20: notes a proof in the record of a session. It repeats, as `revokeAll` does: it may wait for a rotation, and then
 * miss the successor that this one has inserted.
 * @param methods of a factor, which are added; null: the password, which is then all that the session has proved
 * @returns undefined if the session has ended
 */
export async function proveSession(
  db: Db,
  session: SessionOf,
  methods: AuthenticationMethod[] | null,
  now: Date,
): Promise<Omit<LiveRecord, 'proved_at'> | undefined> {
  const { familyId: family_id, userId: user_id } = session;
  for (;;) {
    const [proved] = await db.run(proveSql, { family_id, user_id, methods, now });
    if (proved !== undefined) return proved;
    if ((await findLiveRecord(db, session, now)) === undefined) return undefined;
  }
}
