/** Spec 3.2: the account lock. Each function is one statement, so that races are settled by the row's lock. */
import { sql } from 'kysely';
import { AUDIT_COLUMNS, type AuthEvent, auditValues } from '../audit/events.js';
import type { Config } from '../config.js';
import type { Sql } from '../db/database.js';
import { addSeconds } from '../platform/clock.js';

/** What login reads of a user (Spec 4.1 step 1). */
export interface LoginUser {
  id: string;
  password_hash: string;
  password_version: number;
  locked_until: Date | null;
}

/** Spec 4.1 step 1: the active user with this normalised e-mail. */
export function findActiveUser(db: Sql, email: string): Promise<LoginUser | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'password_hash', 'password_version', 'locked_until'])
    .where('email', '=', email)
    .where('is_active', '=', true)
    .executeTakeFirst();
}

export function isLocked(user: LoginUser, now: Date): user is LoginUser & { locked_until: Date } {
  return user.locked_until !== null && user.locked_until > now;
}

/**
 * Spec 3.2, rows 1 and 2: counts a failed login, locks at the maximum, and writes `login_failure`.
 * For an unknown user (`user_id` null in the event) the same statement runs and finds nobody to count for.
 * @returns false where nothing was written, because the user has been locked (or removed) since it was read
 */
export async function countFailure(
  db: Sql,
  event: AuthEvent & { eventType: 'login_failure' },
  rules: Pick<Config['login'], 'maxFailures' | 'lockoutSeconds'>,
  now: Date,
): Promise<boolean> {
  const written = await db
    .with('counted', (cte) =>
      cte
        .updateTable('users')
        .set((eb) => ({
          failed_login_attempts: eb('failed_login_attempts', '+', 1),
          locked_until: eb
            .case()
            .when(eb('failed_login_attempts', '>=', rules.maxFailures - 1))
            .then(sql<Date>`${addSeconds(now, rules.lockoutSeconds)}::timestamptz`)
            .else(eb.ref('locked_until'))
            .end(),
        }))
        .where('id', '=', event.userId)
        .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', now)]))
        .returning('id'),
    )
    .with('audited', (cte) =>
      cte
        .insertInto('audit_events')
        .columns([...AUDIT_COLUMNS])
        .expression(
          cte
            .selectNoFrom(auditValues(event, event.metadata, now))
            .where((eb) =>
              eb.or([eb.val(event.userId === null), eb.exists(eb.selectFrom('counted').select('counted.id'))]),
            ),
        )
        .returning('id'),
    )
    .selectFrom('audited')
    .select('id')
    .executeTakeFirst();
  return written !== undefined;
}
