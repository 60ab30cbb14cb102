/** The links that are mailed. Their tokens wait sealed until the mail is delivered. (Interface 15 and 17) */

import type { LoggedEvent } from '../audit/order.js';
import { eventRows, insertEvents } from '../audit/write.js';
import { hashOfToken, REQUESTED_WINDOW_SECONDS } from '../auth/password-links.js';
import { generateLinkToken } from '../credentials/key-secrets.js';
import { openSealedSecret, sealSecret } from '../credentials/sealed-secret.js';
import { type Db, only, type RowOf, statement } from '../db/statement.js';
import type { LinkPurpose } from '../domain/link-purpose.js';
import type { Role } from '../domain/roles.js';
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';

export interface MailedLink {
  email: string;
  role: Role;
  token: string;
  purpose: LinkPurpose;
  expiresAt: Date;
  /** Whether the password has ended because a change of the e-mail was taken back */
  isUndone: boolean;
}

/** SQL of `isUndone`: every other user without a password never had one. */
const IS_UNDONE = '(password_hash is null and users.password_version > 0) as is_undone';

/**
 * `superseded`: a newer link has been issued, or this one was mailed or used. `limited`: the user was mailed as many links
 * as they may ask for in an hour.
 */
export type Unmailable = 'superseded' | 'limited' | 'secret_unreadable';

/** Links that are mailed to a user in an hour, however many people ask */
const REQUESTED_LIMIT = 3;

/** SQL of the links of the last hour that were mailed, or may have been. */
const MAILED = `array(
    select at from unnest(trim_array(requested_links.mailed_at, requested_links.has_failed::integer)) as at
    where at > :now - make_interval(secs => ${REQUESTED_WINDOW_SECONDS})
  )`;

/**
 * Issues a link for the request, if neither an operator nor another request has issued one since it was written. So requests
 * that come before the link is issued share it. Of several at once the row lets one through.
 */
const issueRequestedSql = statement(
  'issue_requested_link',
  {
    user_id: 'uuid',
    event_id: 'uuid',
    requested_at: 'text',
    token_sha256: 'bytea',
    sealed_token: 'text',
    expires_at: 'timestamptz',
    events: 'jsonb',
    now: 'timestamptz',
  },
  { email: 'text', role: only<Role>('text'), is_undone: 'boolean', is_issued: 'boolean', is_limited: 'boolean' },
)`
  with asked as (
    select id as asked_id, email, role, password_version, ${IS_UNDONE} from users
    where id = :user_id and is_active and not exists (
      select from audit_events
      where audit_events.user_id = :user_id and event_type = 'password_link_issued'
        and written_at > :requested_at::timestamptz
    )
  ), issued as (
    insert into requested_links
      (user_id, event_id, token_sha256, password_version, issued_at, expires_at, sealed_token, mailed_at)
    select asked_id, :event_id, :token_sha256, password_version, clock_timestamp(), :expires_at, :sealed_token, array[:now]
    from asked
    on conflict (user_id) do update
    set event_id = excluded.event_id, token_sha256 = excluded.token_sha256, password_version = excluded.password_version,
      issued_at = excluded.issued_at, expires_at = excluded.expires_at, sealed_token = excluded.sealed_token,
      mailed_at = ${MAILED} || excluded.mailed_at, has_failed = false
    where requested_links.issued_at < :requested_at::timestamptz and cardinality(${MAILED}) < ${REQUESTED_LIMIT}
    returning user_id as issued_id
  ), audited as (
    ${insertEvents(':events', 'issued')}
  )
  select email, role, is_undone, exists (select from issued) as is_issued,
    exists (select from requested_links where user_id = asked_id and issued_at < :requested_at::timestamptz) as is_limited
  from asked`;

const MAILABLE = {
  email: 'text',
  role: only<Role>('text'),
  sealed_token: 'text?',
  expires_at: 'timestamptz',
  is_undone: 'boolean',
} as const;

/** The link of a request whose mail is tried again */
const retriedSql = statement('retried_link', { user_id: 'uuid', event_id: 'uuid', now: 'timestamptz' }, MAILABLE)`
  update requested_links set has_failed = false
  from users
  where user_id = :user_id and event_id = :event_id and sealed_token is not null and expires_at > :now
    and id = user_id and is_active and users.password_version = requested_links.password_version
  returning email, role, sealed_token, expires_at, ${IS_UNDONE}`;

const failedSql = statement('requested_mail_failed', { user_id: 'uuid', event_id: 'uuid' }, {})`
  update requested_links set has_failed = true where user_id = :user_id and event_id = :event_id`;

const WAITING = { ...MAILABLE, token_sha256: 'bytea', purpose: only<LinkPurpose>('text') } as const;
const SELECT_WAITING = `
  select email, role, token_sha256, sealed_token, purpose, expires_at, ${IS_UNDONE}
  from password_links join users on id = user_id and users.password_version = password_links.password_version
  where user_id = :user_id and sealed_token is not null and expires_at > :now and is_active`;

const waitingSql = statement('waiting_link', { user_id: 'uuid', now: 'timestamptz' }, WAITING)`
  ${SELECT_WAITING}`;

/** The previous version stored the link of a request among those of operators. Its mail may still wait. */
const waitingSinceBeforeSql = statement(
  'waiting_link_since_before',
  { user_id: 'uuid', requested_at: 'text', now: 'timestamptz' },
  WAITING,
)`
  ${SELECT_WAITING}
    and not exists (
      select from requested_links where requested_links.user_id = :user_id and issued_at > :requested_at::timestamptz
    )
    and 'request' = (
      select metadata ->> 'by' from audit_events
      where audit_events.user_id = :user_id and event_type = 'password_link_issued'
      order by written_at desc limit 1
    )`;

const eraseSql = statement('erase_mailed_token', { user_id: 'uuid', token_sha256: 'bytea' }, {})`
  with requested as (
    update requested_links set sealed_token = null where user_id = :user_id and token_sha256 = :token_sha256
  )
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
  { id: eventId, written_at, ip_address }: LoggedEvent,
): Promise<MailedLink | Unmailable> {
  const { clock, config, db, keyring } = deps;
  const now = clock.now();
  const [retried] = await db.admin.run(retriedSql, { user_id: userId, event_id: eventId, now });
  if (retried?.sealed_token) {
    const { email, role, sealed_token, expires_at: expiresAt, is_undone: isUndone } = retried;
    const token = await openSealedSecret(keyring, userId, sealed_token);
    return token === undefined ? 'secret_unreadable' : { email, role, token, purpose: 'reset', expiresAt, isUndone };
  }
  const token = generateLinkToken();
  const expiresAt = addSeconds(now, config.resetSeconds);
  const issued = {
    eventType: 'password_link_issued',
    userId,
    ipAddress: ip_address,
    userAgent: '',
    metadata: { by: 'request', purpose: 'reset', expires_at: expiresAt.toISOString() },
  } as const;
  const [asked] = await db.admin.run(issueRequestedSql, {
    user_id: userId,
    event_id: eventId,
    requested_at: written_at,
    token_sha256: hashOfToken(token),
    sealed_token: await sealSecret(keyring, userId, token, now),
    expires_at: expiresAt,
    events: eventRows([issued], now),
    now,
  });
  if (asked === undefined) {
    const before = { user_id: userId, requested_at: written_at, now };
    return openWaiting(deps, userId, await db.admin.run(waitingSinceBeforeSql, before));
  }
  if (!asked.is_issued) return asked.is_limited ? 'limited' : 'superseded';
  const { email, role, is_undone: isUndone } = asked;
  return { email, role, token, purpose: 'reset', expiresAt, isUndone };
}

/** The mail of the request has not been sent for certain, so it does not count. */
export async function forgetFailed(db: Db, userId: string, { id }: LoggedEvent): Promise<void> {
  await db.run(failedSql, { user_id: userId, event_id: id });
}

/** The link of an operator whose token waits: the newest of the user. */
export async function waitingLink(deps: Dependencies, userId: string): Promise<MailedLink | Unmailable> {
  const { clock, db } = deps;
  return openWaiting(deps, userId, await db.admin.run(waitingSql, { user_id: userId, now: clock.now() }));
}

async function openWaiting(
  { keyring }: Dependencies,
  userId: string,
  [waiting]: Array<RowOf<typeof waitingSql>>,
): Promise<MailedLink | Unmailable> {
  if (!waiting?.sealed_token) return 'superseded';
  const { email, role, token_sha256, sealed_token, purpose, expires_at: expiresAt, is_undone: isUndone } = waiting;
  const token = await openSealedSecret(keyring, userId, sealed_token);
  if (token === undefined) return 'secret_unreadable';
  // A link that was issued without a mail has taken the place of the one that waited.
  if (Buffer.compare(hashOfToken(token), token_sha256) !== 0) return 'superseded';
  return { email, role, token, purpose, expiresAt, isUndone };
}

/** The link stays; a newer one still waits for its own mail. */
export async function eraseMailed(db: Db, userId: string, token: string): Promise<void> {
  await db.run(eraseSql, { user_id: userId, token_sha256: hashOfToken(token) });
}

/** The same, of a link that nobody has opened the seal of, because its mail has become too old. */
export async function eraseOld(db: Db, userId: string, { written_at }: LoggedEvent): Promise<void> {
  await db.run(eraseOldSql, { user_id: userId, issued_at: written_at });
}
