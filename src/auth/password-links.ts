/**
 * Password links. A user has at most one from an operator (`password_links`), and one that they have requested
 * (`requested_links`), which leaves the other alone. Only the SHA-256 of a token is stored. (Interface 15)
 */
import { createHash } from 'node:crypto';
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import { type Expiring, expiring } from '../db/sweeper.js';
import type { LinkPurpose } from '../domain/link-purpose.js';

/** @param token of any form: an invalid one costs as much as a wrong one */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const issueLinkSql = statement(
  'issue_link',
  {
    user_id: 'uuid',
    token_sha256: 'bytea',
    purpose: only<LinkPurpose>('text'),
    expires_at: 'timestamptz',
    sealed_token: 'text?',
  },
  {},
)`
  with ended as (delete from requested_links where user_id = :user_id)
  insert into password_links (user_id, token_sha256, password_version, purpose, expires_at, sealed_token)
  select id, :token_sha256, password_version, :purpose, :expires_at, :sealed_token from users where id = :user_id
  on conflict (user_id) do update
  set token_sha256 = excluded.token_sha256, password_version = excluded.password_version, purpose = excluded.purpose,
    expires_at = excluded.expires_at, sealed_token = excluded.sealed_token`;

export interface NewLink {
  userId: string;
  token: string;
  purpose: LinkPurpose;
  expiresAt: Date;
  /** The token, sealed for the user, if a mail with it waits */
  sealedToken?: string;
}

/** Replaces each link that the user may have. */
export async function issueLink(db: Db, { userId, token, purpose, expiresAt, sealedToken }: NewLink): Promise<void> {
  await db.run(issueLinkSql, {
    user_id: userId,
    token_sha256: hashOfToken(token),
    purpose,
    expires_at: expiresAt,
    sealed_token: sealedToken ?? null,
  });
}

const endLinkSql = statement('end_link', { user_id: 'uuid' }, {})`
  with requested as (
    delete from requested_links where user_id = :user_id
  ), changes as (
    delete from email_changes where user_id = :user_id
  ), undos as (
    delete from email_undos where user_id = :user_id
  )
  delete from password_links where user_id = :user_id`;

/** Links of every kind (Interface 15 and 21): after a change of the e-mail by an operator, deactivation and deletion. */
export async function endLinks(db: Db, userId: string): Promise<void> {
  await db.run(endLinkSql, { user_id: userId });
}

/** SQL of the links of both kinds */
export const EVERY_LINK = `(
    select user_id, token_sha256, password_version, expires_at from password_links
    union all select user_id, token_sha256, password_version, expires_at from requested_links
  )`;

const linkedUserSql = statement(
  'linked_user',
  { token_sha256: 'bytea', now: 'timestamptz' },
  { id: 'uuid', email: 'text', password_hash: 'text?', password_version: 'integer' },
)`
  select id, email, password_hash, users.password_version
  from ${EVERY_LINK} as link join users on id = user_id and users.password_version = link.password_version
  where token_sha256 = :token_sha256 and expires_at > :now and is_active`;

export type LinkedUser = RowOf<typeof linkedUserSql>;

/** The active user of a live link. It uses nothing up. */
export async function findLinkedUser(db: Db, tokenSha256: Uint8Array, now: Date): Promise<LinkedUser | undefined> {
  const [user] = await db.run(linkedUserSql, { token_sha256: tokenSha256, now });
  return user;
}

/** Links are useless once they have expired. */
export const expiredLinks: Expiring = expiring('password_links', 'user_id', 'expires_at < :before');

/** The row of a requested link also says how many were mailed in an hour. */
export const REQUESTED_WINDOW_SECONDS = 3_600;
export const expiredRequestedLinks: Expiring = expiring(
  'requested_links',
  'user_id',
  'expires_at < :before',
  REQUESTED_WINDOW_SECONDS,
);
