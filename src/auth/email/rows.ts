/** Changes of e-mails in the database. Each is made with the turn of administrative changes. (Interface 21) */
import { type Db, type RowOf, statement } from '../../db/statement.js';
import { type Expiring, expiring } from '../../db/sweeper.js';
import { addSeconds } from '../../platform/clock.js';

/** How long the former address can take a change back, and stays reserved */
export const UNDO_SECONDS = 72 * 3_600;
export const CHANGE_SECONDS = 1_800;

/** SQL: whether an address is reserved for another user, who had it. @param email, owner, now SQL */
export function isReserved(email: string, owner: string, now: string): string {
  return `exists (select from email_undos
    where email_undos.email = ${email} and email_undos.user_id is distinct from ${owner} and email_undos.expires_at > ${now})`;
}

const takenSql = statement('taken_emails', { emails: 'text[]', owner: 'uuid?', now: 'timestamptz' }, { email: 'text' })`
  select email from unnest(:emails) as asked (email)
  where exists (select from users where users.email = asked.email) or ${isReserved('asked.email', ':owner', ':now')}`;

/**
 * Addresses of users, and those that are reserved for users who had them.
 * @param owner for whom they are to be, if there is one already
 */
export async function takenEmails(db: Db, emails: string[], now: Date, owner: string | null = null): Promise<string[]> {
  return (await db.run(takenSql, { emails, owner, now })).map(({ email }) => email);
}

const beginSql = statement(
  'begin_email_change',
  {
    user_id: 'uuid',
    token_sha256: 'bytea',
    email: 'text',
    password_version: 'integer',
    expires_at: 'timestamptz',
    sealed_token: 'text',
  },
  {},
)`
  insert into email_changes (user_id, token_sha256, email, password_version, expires_at, sealed_token)
  values (:user_id, :token_sha256, :email, :password_version, :expires_at, :sealed_token)
  on conflict (user_id) do update
  set token_sha256 = excluded.token_sha256, email = excluded.email, password_version = excluded.password_version,
    expires_at = excluded.expires_at, sealed_token = excluded.sealed_token`;

export interface NewEmailChange {
  user: { id: string; password_version: number };
  tokenSha256: Uint8Array;
  email: string;
  expiresAt: Date;
  sealedToken: string;
}

/** Replaces the one that the user may have begun. Call it under the lock of the user. */
export async function beginEmailChange(db: Db, change: NewEmailChange): Promise<void> {
  const { user, tokenSha256: token_sha256, email, expiresAt: expires_at, sealedToken: sealed_token } = change;
  const { id: user_id, password_version } = user;
  await db.run(beginSql, { user_id, token_sha256, email, password_version, expires_at, sealed_token });
}

const liveSql = statement(
  'live_email_change',
  { user_id: 'uuid', token_sha256: 'bytea', now: 'timestamptz' },
  { user_id: 'uuid' },
)`
  select user_id from email_changes where user_id = :user_id and token_sha256 = :token_sha256 and expires_at > :now`;

/** Whether the user has this link, as far as can be known without the turn. */
export async function hasEmailChange(db: Db, userId: string, tokenSha256: Uint8Array, now: Date): Promise<boolean> {
  return (await db.run(liveSql, { user_id: userId, token_sha256: tokenSha256, now })).length > 0;
}

const newestUndoSql = statement('newest_undo', { user_id: 'uuid' }, { expires_at: 'timestamptz?' })`
  select max(expires_at) as expires_at from email_undos where user_id = :user_id`;

/**
 * The moment of a change: later than every earlier one of the user, also if the clock of another instance was ahead, so that a way
 * back ends those of later changes. Call it under the lock of the user.
 */
export async function momentOfChange(db: Db, userId: string, now: Date): Promise<Date> {
  const [newest] = await db.run(newestUndoSql, { user_id: userId });
  if (newest?.expires_at == null) return now;
  const next = addSeconds(newest.expires_at, 0.001 - UNDO_SECONDS);
  return next > now ? next : now;
}

/** SQL: ends the change that the user has begun, and the links that were sent to the address that they leave, of a row in `free`. */
const ENDED = `used as (
    delete from email_changes using free where user_id = :user_id
  ), links as (
    delete from password_links using free where user_id = :user_id
  ), requested as (
    delete from requested_links using free where user_id = :user_id
  )`;

const takeSql = statement(
  'take_email_change',
  {
    user_id: 'uuid',
    password_version: 'integer',
    token_sha256: 'bytea',
    undo_id: 'uuid',
    undo_sha256: 'bytea',
    undo_sealed: 'text',
    undo_ends_at: 'timestamptz',
    now: 'timestamptz',
  },
  { email: 'text', former: 'text', is_taken: 'boolean' },
)`
  with pending as materialized (
    select email_changes.email, users.email as former,
      exists (select from users as other where other.email = email_changes.email)
        or ${isReserved('email_changes.email', ':user_id', ':now')} as is_taken
    from email_changes join users on id = user_id
    where user_id = :user_id and token_sha256 = :token_sha256 and expires_at > :now
      and email_changes.password_version = :password_version
  ), free as (
    select email, former from pending where not is_taken
  ), ${ENDED}, way_back as (
    insert into email_undos (id, user_id, token_sha256, email, expires_at, sealed_token)
    select :undo_id, :user_id, :undo_sha256, former, :undo_ends_at, :undo_sealed from free
  ), changed as (
    update users set email = free.email from free where id = :user_id
  )
  select email, former, is_taken from pending`;

/**
 * Gives the user the address of the link, reserves the former one, and ends the password links that were sent there. Call it
 * with the turn, under the lock of the user.
 * @returns undefined if the link is not theirs, or is used, replaced, ended or expired; if `is_taken`, nothing is changed
 */
export async function takeEmailChange(
  db: Db,
  { user, tokenSha256, undo, now }: Taking,
): Promise<RowOf<typeof takeSql> | undefined> {
  const [taken] = await db.run(takeSql, {
    user_id: user.id,
    password_version: user.password_version,
    token_sha256: tokenSha256,
    undo_id: undo.id,
    undo_sha256: undo.tokenSha256,
    undo_sealed: undo.sealedToken,
    undo_ends_at: undo.expiresAt,
    now,
  });
  return taken;
}

interface Taking {
  user: { id: string; password_version: number };
  tokenSha256: Uint8Array;
  undo: { id: string; tokenSha256: Uint8Array; sealedToken: string; expiresAt: Date };
  now: Date;
}

const ownerSql = statement('owner_of_undo', { token_sha256: 'bytea', now: 'timestamptz' }, { user_id: 'uuid' })`
  select user_id from email_undos where token_sha256 = :token_sha256 and expires_at > :now`;

/** The user whose e-mail the link takes back. It uses nothing up. */
export async function findUndoOwner(db: Db, tokenSha256: Uint8Array, now: Date): Promise<string | undefined> {
  const [undo] = await db.run(ownerSql, { token_sha256: tokenSha256, now });
  return undo?.user_id;
}

const undoSql = statement(
  'undo_email_change',
  { user_id: 'uuid', token_sha256: 'bytea', now: 'timestamptz' },
  { email: 'text', former: 'text', is_taken: 'boolean' },
)`
  with undo as materialized (
    select email_undos.id, email_undos.email as former, users.email,
      exists (select from users as other where other.email = email_undos.email and other.id <> :user_id) as is_taken
    from email_undos join users on users.id = user_id
    where user_id = :user_id and token_sha256 = :token_sha256 and expires_at > :now
  ), free as (
    select id, former from undo where not is_taken
  ), ways_back as (
    delete from email_undos using free where user_id = :user_id and email_undos.id >= free.id
  ), ${ENDED}, changed as (
    update users set email = free.former, password_hash = null, password_chosen_by_user = false,
      password_version = password_version + 1
    from free where users.id = :user_id
  )
  select email, former, is_taken from undo`;

/**
 * Gives the user the address back that the link was sent to. The password ends too, since who changed the e-mail knew it, and
 * so do all ways back from later changes. Call it with the turn, under the lock of the user.
 * @returns undefined if the link is used or expired; if `is_taken`, nothing is changed
 */
export async function takeUndo(
  db: Db,
  { userId, tokenSha256, now }: { userId: string; tokenSha256: Uint8Array; now: Date },
): Promise<RowOf<typeof undoSql> | undefined> {
  const [undone] = await db.run(undoSql, { user_id: userId, token_sha256: tokenSha256, now });
  return undone;
}

export const expiredEmailChanges: Expiring = expiring('email_changes', 'user_id', 'expires_at < :before');
export const expiredEmailUndos: Expiring = expiring('email_undos', 'id', 'expires_at < :before');
