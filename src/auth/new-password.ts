/** The statements that store a password chosen by its user. (Interface 15) */
import { type Db, only, statement } from '../db/statement.js';
import type { LinkPurpose } from '../domain/link-purpose.js';

/**
 * The new version fails a login that has just verified the old password, and ends the links and half logins of the user.
 * A count that also holds wrong codes stays: who reads the mail of a user could otherwise guess five codes a link.
 */
const CHOSEN = `password_hash = :password_hash, password_version = password_version + 1, password_chosen_by_user = true,
      failed_login_attempts = case when has_factors then failed_login_attempts else 0 end,
      locked_until = case when has_factors then locked_until end`;

const changePasswordSql = statement(
  'change_password',
  { id: 'uuid', password_version: 'integer', password_hash: 'text', now: 'timestamptz' },
  { id: 'uuid' },
)`
    update users set ${CHOSEN}
    where id = :id and is_active and password_version = :password_version
      and (locked_until is null or locked_until <= :now)
    returning id`;

/** The password that was checked, by its version, and the new one. */
export interface NewPassword {
  id: string;
  password_version: number;
  password_hash: string;
}

/** @returns false if the user was locked, deactivated, deleted or given another password since the old one was read */
export async function storeChanged(db: Db, changed: NewPassword, now: Date): Promise<boolean> {
  return (await db.run(changePasswordSql, { ...changed, now })).length > 0;
}

const redeemLinkSql = statement(
  'redeem_link',
  { id: 'uuid', password_version: 'integer', password_hash: 'text', token_sha256: 'bytea', now: 'timestamptz' },
  { purpose: only<LinkPurpose>('text') },
)`
  with locked as (
    select id from users where id = :id and is_active and password_version = :password_version for update
  ), issued as (
    delete from password_links using locked
    where user_id = locked.id and token_sha256 = :token_sha256 and expires_at > :now
    returning user_id, purpose
  ), requested as (
    update requested_links set expires_at = :now, sealed_token = null from locked
    where user_id = locked.id and token_sha256 = :token_sha256 and expires_at > :now
    returning user_id
  ), used as (
    select user_id, purpose from issued union all select user_id, 'reset' from requested
  )
  update users set ${CHOSEN}
  from used where id = user_id
  returning purpose`;

/**
 * Uses the link up, ends the other one of the user, and unlocks the account. Of several concurrent redemptions one succeeds. The user is locked first, as
 * by every other change.
 * @returns undefined if the link was used, replaced or ended, or has expired, since it was read
 */
export async function storeByLink(
  db: Db,
  password: NewPassword,
  tokenSha256: Uint8Array,
  now: Date,
): Promise<LinkPurpose | undefined> {
  const [redeemed] = await db.run(redeemLinkSql, { ...password, token_sha256: tokenSha256, now });
  return redeemed?.purpose;
}
