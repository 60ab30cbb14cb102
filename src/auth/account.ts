/** Spec 3.2 and 4.1: the user's row when a password is checked. Each change is one statement, so that its row lock settles races. */
import type { AuthEvent } from '../audit/events.js';
import { eventRows, insertEvents, writeAudit } from '../audit/write.js';
import { ANY_PREFIX } from '../credentials/passwords/hash-kinds.js';
import type { Database } from '../db/database.js';
import { type Db, type RowOf, statement } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { addSeconds } from '../platform/clock.js';
import { refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import type { Locked } from './outcomes.js';

const activeUserSql = statement(
  'active_user',
  { email: 'text' },
  { id: 'uuid', password_hash: 'text?', password_version: 'integer', locked_until: 'timestamptz?' },
)`
  select id, password_hash, password_version, locked_until from users where email = :email and is_active`;

export type LoginUser = RowOf<typeof activeUserSql>;

/** Spec 4.1 step 1: the active user with this normalised e-mail. */
export async function findActiveUser(db: Db, email: string): Promise<LoginUser | undefined> {
  const [user] = await db.run(activeUserSql, { email });
  return user;
}

const passwordParametersSql = statement(
  'password_parameters',
  {},
  { parameters: 'text', key_length: 'integer', users: 'integer' },
)`
  select coalesce(substring(password_hash from '${ANY_PREFIX}'), '') as parameters,
    coalesce(char_length(substring(rtrim(password_hash, '=') from '[^$]*$')), 0) as key_length,
    count(*)::integer as users
  from users tablesample system ((
    select least(100, 100 * 100000 / greatest(reltuples, 1)) from pg_class where oid = 'users'::regclass
  ))
  where is_active
  group by 1, 2
  order by 1, 2`;

/** Counts active users by the kind and the parameters of their hashes. A large table is sampled: about 100,000 rows. */
export async function countPasswordParameters(db: Database): Promise<RowOf<typeof passwordParametersSql>[]> {
  return db.admin.run(passwordParametersSql, {});
}

type LockedUser = LoginUser & { locked_until: Date };

export function isLocked(user: LoginUser, now: Date): user is LockedUser {
  return user.locked_until !== null && user.locked_until > now;
}

/** Spec 3.2 row 3: writes `account_locked`. */
export async function refuseLocked(db: Db, user: LockedUser, origin: RequestOrigin, now: Date): Promise<Locked> {
  const { id: userId, locked_until: lockedUntil } = user;
  const metadata = { locked_until: lockedUntil.toISOString() };
  await writeAudit(db, [{ eventType: 'account_locked', userId, ...origin, metadata }], now);
  return { ...refused('account_locked'), retryAfterSeconds: Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000) };
}

const countFailureSql = statement(
  'count_failure',
  { user_id: 'uuid?', max_failures: 'integer', lock_until: 'timestamptz', now: 'timestamptz', events: 'jsonb' },
  { id: 'uuid', locked: 'boolean' },
)`
  with counted as (
    update users
    set failed_login_attempts = failed_login_attempts + 1,
      locked_until = case when failed_login_attempts >= :max_failures - 1 then :lock_until else locked_until end
    where id = :user_id and (locked_until is null or locked_until <= :now)
    returning failed_login_attempts >= :max_failures as locked
  ), audited as (
    ${insertEvents()} where :user_id is null or exists (select from counted)
    returning id
  )
  select id, coalesce((select locked from counted), false) as locked from audited`;

/**
 * Spec 3.2, rows 1 and 2: counts a wrong password, locks the account at the maximum, and writes the event.
 * For an unknown user (`userId` null) the same statement runs, so that it takes the same time.
 * @returns false if nothing was written, because the user was locked or deleted after it was read
 */
export async function countFailure(
  { config, db, metrics }: Deps<'config' | 'db' | 'metrics'>,
  event: AuthEvent & { eventType: 'login_failure' | 'password_change_failed' },
  now: Date,
): Promise<boolean> {
  const { maxFailures, lockoutSeconds } = config.login;
  const [written] = await db.run(countFailureSql, {
    user_id: event.userId,
    max_failures: maxFailures,
    lock_until: addSeconds(now, lockoutSeconds),
    now,
    events: eventRows([event], now),
  });
  if (written?.locked) metrics.accountLocks.inc();
  return written !== undefined;
}
