/** Interface 15 and 17: the links that are mailed. Their tokens wait sealed in `password_links` until the mail is delivered. */
import { eventRows, insertEvents } from '../audit/write.js';
import { hashOfToken } from '../auth/password-links.js';
import { generateLinkToken } from '../credentials/key-secrets.js';
import { openSealedSecret, sealSecret } from '../credentials/sealed-secret.js';
import { type Db, only, statement } from '../db/statement.js';
import type { LinkPurpose } from '../domain/link-purpose.js';
import type { Role } from '../domain/roles.js';
import type { LoggedEvent } from '../outbox/cursors.js';
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';

export interface MailedLink {
  email: string;
  role: Role;
  token: string;
  purpose: LinkPurpose;
  expiresAt: Date;
}

/** `superseded`: a newer link has been issued, or this one was mailed or used. */
export type Unmailable = 'superseded' | 'secret_unreadable';

/**
 * The request issues at most one link, however often its mail is tried: not if one has been issued since it was written,
 * which another request of the user, or an operator, may have caused too.
 */
const issueRequestedSql = statement(
  'issue_requested_link',
  {
    user_id: 'uuid',
    requested_at: 'text',
    token_sha256: 'bytea',
    sealed_token: 'text',
    expires_at: 'timestamptz',
    events: 'jsonb',
  },
  { email: 'text', role: only<Role>('text') },
)`
  with asked as (
    select id as asked_id, email, role, password_version from users
    where id = :user_id and is_active and not exists (
      select from audit_events
      where audit_events.user_id = :user_id and event_type = 'password_link_issued'
        and written_at > :requested_at::timestamptz
    )
  ), issued as (
    insert into password_links (user_id, token_sha256, password_version, purpose, expires_at, sealed_token)
    select asked_id, :token_sha256, password_version, 'reset', :expires_at, :sealed_token from asked
    on conflict (user_id) do update
    set token_sha256 = excluded.token_sha256, password_version = excluded.password_version, purpose = excluded.purpose,
      expires_at = excluded.expires_at, sealed_token = excluded.sealed_token
  ), audited as (
    ${insertEvents(':events', 'asked')}
  )
  select email, role from asked`;

const waitingSql = statement(
  'waiting_link',
  { user_id: 'uuid', now: 'timestamptz' },
  {
    email: 'text',
    role: only<Role>('text'),
    token_sha256: 'bytea',
    sealed_token: 'text?',
    purpose: only<LinkPurpose>('text'),
    expires_at: 'timestamptz',
  },
)`
  select email, role, token_sha256, sealed_token, purpose, expires_at
  from password_links join users on id = user_id and users.password_version = password_links.password_version
  where user_id = :user_id and sealed_token is not null and expires_at > :now and is_active`;

const eraseSql = statement('erase_mailed_token', { user_id: 'uuid', token_sha256: 'bytea' }, {})`
  update password_links set sealed_token = null where user_id = :user_id and token_sha256 = :token_sha256`;

const eraseOldSql = statement('erase_old_token', { user_id: 'uuid', issued_at: 'text' }, {})`
  update password_links set sealed_token = null
  where user_id = :user_id and sealed_token is not null and not exists (
    select from audit_events
    where audit_events.user_id = :user_id and event_type = 'password_link_issued' and written_at > :issued_at::timestamptz
  )`;

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring'>;

/** The link for somebody who has asked for it: a new one at the first attempt, later the same. */
export async function linkOfRequest(
  deps: Dependencies,
  userId: string,
  { written_at, ip_address }: LoggedEvent,
): Promise<MailedLink | Unmailable> {
  const { clock, config, db, keyring } = deps;
  const now = clock.now();
  const token = generateLinkToken();
  const expiresAt = addSeconds(now, config.resetSeconds);
  const issued = {
    eventType: 'password_link_issued',
    userId,
    ipAddress: ip_address,
    userAgent: '',
    metadata: { by: 'request', purpose: 'reset', expires_at: expiresAt.toISOString() },
  } as const;
  const [user] = await db.admin.run(issueRequestedSql, {
    user_id: userId,
    requested_at: written_at,
    token_sha256: hashOfToken(token),
    sealed_token: await sealSecret(keyring, userId, token, now),
    expires_at: expiresAt,
    events: eventRows([issued], now),
  });
  if (user === undefined) return waitingLink(deps, userId);
  return { ...user, token, purpose: 'reset', expiresAt };
}

/** The link whose token waits: the newest of the user. */
export async function waitingLink(
  { clock, db, keyring }: Dependencies,
  userId: string,
): Promise<MailedLink | Unmailable> {
  const [waiting] = await db.admin.run(waitingSql, { user_id: userId, now: clock.now() });
  if (!waiting?.sealed_token) return 'superseded';
  const { email, role, token_sha256, sealed_token, purpose, expires_at: expiresAt } = waiting;
  const token = await openSealedSecret(keyring, userId, sealed_token);
  if (token === undefined) return 'secret_unreadable';
  // A link that was issued without a mail has taken the place of the one that waited.
  if (Buffer.compare(hashOfToken(token), token_sha256) !== 0) return 'superseded';
  return { email, role, token, purpose, expiresAt };
}

/** The link stays; a newer one still waits for its own mail. */
export async function eraseMailed(db: Db, userId: string, token: string): Promise<void> {
  await db.run(eraseSql, { user_id: userId, token_sha256: hashOfToken(token) });
}

/** The same, of a link that nobody has opened the seal of, because its mail has become too old. */
export async function eraseOld(db: Db, userId: string, { written_at }: LoggedEvent): Promise<void> {
  await db.run(eraseOldSql, { user_id: userId, issued_at: written_at });
}
