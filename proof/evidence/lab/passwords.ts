/** People change their password, or set it by a link. (Interface 15) */
import { createHash, randomBytes } from 'node:crypto';
import { type Answer, ask } from './browser.js';
import type { Postgres } from './postgres.js';

/** @param more headers */
export function changePassword(
  url: string,
  accessToken: string,
  [current_password, new_password]: [current: string, chosen: string],
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}`, ...more };
  return ask(url, '/auth/password', { headers, body: JSON.stringify({ current_password, new_password }) });
}

export function redeem(url: string, token: string, new_password: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return ask(url, '/auth/password/redeem', { headers, body: JSON.stringify({ token, new_password }) });
}

export interface MintedLink {
  email: string;
  token: string;
}

/**
 * Links by SQL: every second one is an invitation, whose user has no password. Their tokens lack the checksum, which only
 * scanners for leaked secrets look at.
 * @returns one for each of these users
 */
export async function mintLinks(db: Pick<Postgres, 'query'>, emails: readonly string[]): Promise<MintedLink[]> {
  const links = emails.map((email) => ({ email, token: `pl_${randomBytes(32).toString('hex')}` }));
  const invited = emails.filter((_, index) => index % 2 === 0);
  await db.query('update users set password_hash = null where email = any($1)', [invited]);
  await db.query(
    `insert into password_links (user_id, token_sha256, password_version, purpose, expires_at)
     select id, token_sha256, password_version, case when password_hash is null then 'invitation' else 'reset' end,
       now() + interval '1 day'
     from users join unnest($1::text[], $2::bytea[]) as minted (email, token_sha256) using (email)`,
    [emails, links.map(({ token }) => createHash('sha256').update(token).digest())],
  );
  return links;
}
