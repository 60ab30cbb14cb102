/** E-mails that users have asked for, and former ones that are reserved for them. (Interface 21) */
import type { EmailChange } from '../db/entities/email-change.js';
import type { EmailUndo } from '../db/entities/email-undo.js';
import { columnsOf, type Reads, sql } from '../db/sql.js';

export type PendingEmail = Pick<EmailChange, 'userId' | 'email' | 'expiresAt'>;
/** Reserved for the user until it expires */
export type FormerEmail = Pick<EmailUndo, 'userId' | 'email' | 'expiresAt'>;

const COLUMNS = ['userId', 'email', 'expiresAt'] satisfies Array<keyof PendingEmail & keyof FormerEmail>;

/** What each user has asked for and not confirmed, while its link is alive, in one statement. @returns by user id */
export async function pendingEmails(
  db: Reads,
  userIds: readonly string[],
  now: Date,
): Promise<Map<string, PendingEmail>> {
  const pending = await db.read(sql<PendingEmail>`
    select ${columnsOf(COLUMNS, 'email_changes')} from email_changes join users on id = user_id
    where user_id = any(${userIds}::uuid[]) and expires_at > ${now}
      and email_changes.password_version = users.password_version`);
  return new Map(pending.map((change) => [change.userId, change]));
}

/** Reserved e-mails that a user had, or the users who had an e-mail, oldest first. */
export function formerEmails(db: Reads, of: { userId: string } | { email: string }, now: Date): Promise<FormerEmail[]> {
  return db.read(sql<FormerEmail>`
    select ${columnsOf(COLUMNS)} from email_undos
    where ${'userId' in of ? sql`user_id = ${of.userId}` : sql`email = ${of.email}`} and expires_at > ${now} order by id`);
}
