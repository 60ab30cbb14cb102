/** The links of a change of an e-mail. Their tokens wait sealed until the mail is delivered. (Interface 21) */

import type { LoggedEvent } from '../audit/order.js';
import { isReserved } from '../auth/email/rows.js';
import { hashOfToken } from '../auth/password-links.js';
import { openSealedSecret } from '../credentials/sealed-secret.js';
import { type Db, type RowOf, statement } from '../db/statement.js';
import type { Deps } from '../services.js';

/** Links to new addresses that a user is mailed in an hour: who is logged in must not fill the mailbox of another. */
const HOURLY_LIMIT = 3;

export interface EmailLink {
  /** To whom */
  email: string;
  /** The e-mail of the account */
  current: string;
  token: string;
  expiresAt: Date;
}

type Unmailable = 'superseded' | 'taken' | 'limited' | 'secret_unreadable';

const LINK = {
  id: 'uuid',
  email: 'text',
  current: 'text',
  sealed_token: 'text?',
  token_sha256: 'bytea',
  expires_at: 'timestamptz',
} as const;

const changeSql = statement(
  'email_change_to_mail',
  { user_id: 'uuid', requested_at: 'text', now: 'timestamptz' },
  { ...LINK, is_taken: 'boolean', asked: 'integer' },
)`
  select user_id as id, email_changes.email, users.email as current, sealed_token, token_sha256, expires_at,
    exists (select from users as other where other.email = email_changes.email)
      or ${isReserved('email_changes.email', ':user_id', ':now')} as is_taken,
    (
      select count(*)::integer from audit_events
      where audit_events.user_id = :user_id and event_type = 'email_change_requested'
        and written_at < :requested_at::timestamptz and written_at > :requested_at::timestamptz - interval '1 hour'
    ) as asked
  from email_changes join users on users.id = user_id
  where user_id = :user_id and sealed_token is not null and expires_at > :now and is_active
    and users.password_version = email_changes.password_version
    and not exists (
      select from audit_events
      where audit_events.user_id = :user_id and event_type = 'email_change_requested'
        and written_at > :requested_at::timestamptz
    )`;

const undoSql = statement('email_undo_to_mail', { user_id: 'uuid', email: 'text', now: 'timestamptz' }, LINK)`
  select email_undos.id, email_undos.email, users.email as current, sealed_token, token_sha256, expires_at
  from email_undos join users on users.id = user_id
  where user_id = :user_id and email_undos.email = :email and sealed_token is not null and expires_at > :now
  order by email_undos.id desc limit 1`;

const eraseSql = statement('erase_email_token', { token_sha256: 'bytea' }, {})`
  with changes as (
    update email_changes set sealed_token = null where token_sha256 = :token_sha256
  )
  update email_undos set sealed_token = null where token_sha256 = :token_sha256`;

type Dependencies = Deps<'clock' | 'db' | 'keyring'>;

/** The link to the new address: of the newest request, if nobody has the address. */
export async function linkOfChange(
  deps: Dependencies,
  userId: string,
  { written_at }: LoggedEvent,
): Promise<EmailLink | Unmailable> {
  const { clock, db } = deps;
  const [found] = await db.admin.run(changeSql, { user_id: userId, requested_at: written_at, now: clock.now() });
  if (found === undefined) return 'superseded';
  if (found.is_taken) return 'taken';
  return found.asked >= HOURLY_LIMIT ? 'limited' : open(deps, found);
}

/** The link to the former address. */
export async function linkOfUndo(
  deps: Dependencies,
  userId: string,
  { metadata }: LoggedEvent,
): Promise<EmailLink | Unmailable> {
  const { clock, db } = deps;
  const email = String((metadata as Record<string, unknown>)['from']);
  const [found] = await db.admin.run(undoSql, { user_id: userId, email, now: clock.now() });
  return found === undefined ? 'superseded' : open(deps, found);
}

async function open(
  { keyring }: Dependencies,
  { id, email, current, sealed_token, token_sha256, expires_at: expiresAt }: RowOf<typeof undoSql>,
): Promise<EmailLink | Unmailable> {
  const token = await openSealedSecret(keyring, id, sealed_token ?? '');
  if (token === undefined || Buffer.compare(hashOfToken(token), token_sha256) !== 0) return 'secret_unreadable';
  return { email, current, token, expiresAt };
}

/** The link stays. */
export async function eraseEmailToken(db: Db, token: string): Promise<void> {
  await db.run(eraseSql, { token_sha256: hashOfToken(token) });
}
