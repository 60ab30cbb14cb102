/** Second factors in the database. Each change of them first locks the row of the user. (Interface 20) */
import type { StoredPasskey } from '../../credentials/factors/passkeys.js';
import { batched, type Db, only, type RowOf, statement } from '../../db/statement.js';
import { type Expiring, expiring } from '../../db/sweeper.js';
import type { FactorKind } from '../../domain/factors.js';
import type { SessionUser } from '../account.js';
import { hashOf } from './ceremonies.js';

const totpSql = statement('totp', { user_id: 'uuid' }, { id: 'uuid', sealed_secret: 'text?' })`
  select id, sealed_secret from factors where user_id = :user_id and kind = 'totp'`;

export type Totp = RowOf<typeof totpSql>;

export async function findTotp(db: Db, userId: string): Promise<Totp | undefined> {
  const [totp] = await db.run(totpSql, { user_id: userId });
  return totp;
}

const PASSKEY = {
  id: 'uuid',
  credential_id: 'bytea?',
  user_handle: 'bytea?',
  public_key: 'bytea?',
  sign_count: 'bigint?',
  transports: 'text[]?',
  is_synced: 'boolean?',
} as const;
const PASSKEY_COLUMNS = Object.keys(PASSKEY)
  .map((column) => `factors.${column}`)
  .join(', ');

const passkeysSql = statement('passkeys', { user_id: 'uuid' }, PASSKEY)`
  select ${PASSKEY_COLUMNS} from factors where user_id = :user_id and kind = 'passkey'`;

/** The constraint `factors_whole` says that a passkey has them. */
export interface Passkey extends StoredPasskey {
  id: string;
  /** Random, the same for all passkeys of the user */
  userHandle: Uint8Array;
}

export async function findPasskeys(db: Db, userId: string): Promise<Passkey[]> {
  return (await db.run(passkeysSql, { user_id: userId })).map(passkeyOf);
}

const PASSKEY_LOGIN_COLUMNS = `${PASSKEY_COLUMNS}, users.id as user_id, email, users.password_version, locked_until`;

const takeOnePasskeyLoginSql = statement(
  'take_passkey_login',
  { token_sha256: 'bytea', credential_id: 'bytea?', now: 'timestamptz' },
  {
    ...PASSKEY,
    id: 'uuid?',
    user_id: 'uuid?',
    email: 'text?',
    password_version: 'integer?',
    locked_until: 'timestamptz?',
  },
)`
  with relaxed as materialized (
    select set_config('synchronous_commit', 'off', true)
  ), used as (
    delete from ceremonies using relaxed
    where token_sha256 = :token_sha256 and purpose = 'passkey_login' and expires_at > :now
    returning token_sha256
  )
  select ${PASSKEY_LOGIN_COLUMNS}
  from used left join (factors join users on users.id = factors.user_id and is_active) on credential_id = :credential_id`;

const takePasskeyLoginSql = batched(takeOnePasskeyLoginSql, {
  lanes: 2,
  identity: ({ token_sha256 }) => String(token_sha256),
})`
  relaxed as materialized (
    select set_config('synchronous_commit', 'off', true)
  ), live as materialized (
    select asked.*, ceremony.*
    from relaxed, asked, lateral (
      select ctid as tuple_id from ceremonies
      where token_sha256 = asked.token_sha256 and purpose = 'passkey_login' and expires_at > asked.now
      for update skip locked
    ) as ceremony
  ), used as (
    delete from ceremonies using live where ceremonies.ctid = tuple_id
    returning live.*
  )
  select n, ${PASSKEY_LOGIN_COLUMNS}
  from used left join (factors join users on users.id = factors.user_id and is_active)
    on factors.credential_id = used.credential_id`;

export interface PasskeyLogin {
  passkey: Passkey;
  user: SessionUser & { email: string };
}

/**
 * Uses up the challenge of a login, before its answer is checked, and finds the passkey with this id and its active user. The
 * commit does not wait for the disk: that of the session, which comes after it, waits for both.
 * @param credentialId base64url
 * @returns undefined if the challenge is unknown, used or expired; without a `login` if there is no such passkey
 */
export async function takePasskeyLogin(
  db: Db,
  ceremony: string,
  credentialId: string | undefined,
  now: Date,
): Promise<{ login?: PasskeyLogin } | undefined> {
  const [row] = await db.run(takePasskeyLoginSql, {
    token_sha256: hashOf(ceremony),
    credential_id: credentialId === undefined ? null : Buffer.from(credentialId, 'base64url'),
    now,
  });
  if (row === undefined) return undefined;
  const { id, user_id, email, password_version, locked_until } = row;
  if (id === null || user_id === null || email === null || password_version === null) return {};
  return {
    login: { passkey: passkeyOf({ ...row, id }), user: { id: user_id, email, password_version, locked_until } },
  };
}

function passkeyOf(row: RowOf<typeof passkeysSql>): Passkey {
  return {
    id: row.id,
    credentialId: Buffer.from(row.credential_id ?? []).toString('base64url'),
    userHandle: row.user_handle ?? new Uint8Array(),
    publicKey: row.public_key ?? new Uint8Array(),
    signCount: Number(row.sign_count),
    transports: row.transports ?? [],
    isSynced: row.is_synced ?? false,
  };
}

const COUNTS = `(select count(*)::integer from factors where user_id = :user_id and kind = 'passkey') as passkeys,
    exists (select from factors where user_id = :user_id and kind = 'totp') as has_totp,
    (select count(*)::integer from recovery_codes where user_id = :user_id) as recovery_codes`;

const countSql = statement(
  'count_factors',
  { user_id: 'uuid' },
  { passkeys: 'integer', has_totp: 'boolean', recovery_codes: 'integer' },
)`select ${COUNTS}`;

export async function countFactors(db: Db, userId: string): Promise<RowOf<typeof countSql>> {
  const [counts = { passkeys: 0, has_totp: false, recovery_codes: 0 }] = await db.run(countSql, { user_id: userId });
  return counts;
}

const addSql = statement(
  'add_factor',
  {
    id: 'uuid',
    user_id: 'uuid',
    kind: only<FactorKind>('text'),
    name: 'text',
    now: 'timestamptz',
    sealed_secret: 'text?',
    last_step: 'integer?',
    credential_id: 'bytea?',
    user_handle: 'bytea?',
    public_key: 'bytea?',
    sign_count: 'bigint?',
    transports: 'text[]?',
    is_synced: 'boolean?',
  },
  { id: 'uuid' },
)`
  with added as (
    insert into factors
      (id, user_id, kind, name, created_at, sealed_secret, last_step,
        credential_id, user_handle, public_key, sign_count, transports, is_synced)
    values (:id, :user_id, :kind, :name, :now, :sealed_secret, :last_step,
      :credential_id, :user_handle, :public_key, :sign_count, :transports, :is_synced)
    on conflict do nothing
    returning user_id
  )
  update users set has_factors = true from added where id = added.user_id
  returning id`;

interface Added {
  id: string;
  userId: string;
  name: string;
  now: Date;
}

export interface AddedTotp extends Added {
  sealedSecret: string;
  /** Of the code that confirmed it */
  step: number;
}

export type AddedPasskey = Added & Omit<Passkey, 'id'>;

/** Call it under the lock of the user. @returns false if the user has one */
export async function addTotp(db: Db, { id, userId, name, now, sealedSecret, step }: AddedTotp): Promise<boolean> {
  const none = { credential_id: null, user_handle: null, public_key: null, sign_count: null };
  const totp = { id, user_id: userId, kind: 'totp', name, now, sealed_secret: sealedSecret, last_step: step } as const;
  return (await db.run(addSql, { ...totp, ...none, transports: null, is_synced: null })).length > 0;
}

/** Call it under the lock of the user. @returns false if the passkey is somebody's */
export async function addPasskey(db: Db, passkey: AddedPasskey): Promise<boolean> {
  const added = await db.run(addSql, {
    id: passkey.id,
    user_id: passkey.userId,
    kind: 'passkey',
    name: passkey.name,
    now: passkey.now,
    sealed_secret: null,
    last_step: null,
    credential_id: Buffer.from(passkey.credentialId, 'base64url'),
    user_handle: passkey.userHandle,
    public_key: passkey.publicKey,
    sign_count: String(passkey.signCount),
    transports: passkey.transports,
    is_synced: passkey.isSynced,
  });
  return added.length > 0;
}

const removeSql = statement('remove_factor', { id: 'uuid', user_id: 'uuid' }, { kind: only<FactorKind>('text') })`
  delete from factors where id = :id and user_id = :user_id returning kind`;

/** Call it under the lock of the user. @returns the kind; undefined if the user has no such factor */
export async function removeFactor(db: Db, id: string, userId: string): Promise<FactorKind | undefined> {
  const [removed] = await db.run(removeSql, { id, user_id: userId });
  return removed?.kind;
}

const setRecoveryCodesSql = statement('set_recovery_codes', { user_id: 'uuid', hashes: 'text[]' }, {})`
  with ended as (delete from recovery_codes where user_id = :user_id)
  insert into recovery_codes (user_id, code_sha256)
  select :user_id, decode(hash, 'hex') from unnest(:hashes) as hash`;

/** Replaces those of the user. Call it under the lock of the user. */
export async function setRecoveryCodes(db: Db, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await db.run(setRecoveryCodesSql, { user_id: userId, hashes: hashes.map((hash) => hash.toString('hex')) });
}

const endCeremoniesSql = statement('end_ceremonies', { user_id: 'uuid' }, {})`
  delete from ceremonies where user_id = :user_id`;

/** After a new password or deactivation: half logins, challenges and new factors of the user. */
export async function endCeremonies(db: Db, userId: string): Promise<void> {
  await db.run(endCeremoniesSql, { user_id: userId });
}

const endFactorsSql = statement('end_factors', { user_id: 'uuid' }, { factors: 'integer' })`
  with ended as (
    delete from factors where user_id = :user_id returning id
  ), codes as (
    delete from recovery_codes where user_id = :user_id
  ), begun as (
    delete from ceremonies where user_id = :user_id
  ), unmarked as (
    update users set has_factors = false where id = :user_id and has_factors
  )
  select count(*)::integer as factors from ended`;

/**
 * Removes everything of this section that the user has: with the last factor, by an operator, and with the user. Call it under
 * the lock of the user, if there still is one.
 * @returns the number of factors
 */
export async function endFactors(db: Db, userId: string): Promise<number> {
  const [ended] = await db.run(endFactorsSql, { user_id: userId });
  return ended?.factors ?? 0;
}

export const expiredCeremonies: Expiring = expiring('ceremonies', 'token_sha256', 'expires_at < :before');
