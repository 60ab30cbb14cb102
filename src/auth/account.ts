/**
 * The user's row when a password is checked. Each change is one statement, so that its row lock settles races.
 * (Spec 3.2 and 4.1)
 */
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
  {
    id: 'uuid',
    password_hash: 'text?',
    password_version: 'integer',
    locked_until: 'timestamptz?',
    has_factors: 'boolean',
  },
)`
  select id, password_hash, password_version, locked_until, has_factors from users where email = :email and is_active`;

/** Interface 16: a device that the user has logged in from */
export interface KnownDevice {
  id: string;
  /** Whose hash is stored */
  secret: string;
  /** When strangers can log in again */
  accountLockedUntil: Date | null;
}

export interface LoginUser extends RowOf<typeof activeUserSql> {
  /** Interface 16: the known device of the login; `locked_until` is then the device's */
  device?: KnownDevice | undefined;
}

/** Who a session is for, whatever proved it. */
export type SessionUser = Pick<LoginUser, 'id' | 'password_version' | 'locked_until' | 'device'>;

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
  where is_active and password_hash is not null
  group by 1, 2
  order by 1, 2`;

/** Counts active users with a password by the kind and the parameters of its hash. A large table is sampled: about 100,000 rows. */
export async function countPasswordParameters(db: Database): Promise<RowOf<typeof passwordParametersSql>[]> {
  return db.admin.run(passwordParametersSql, {});
}

type LockedUser = Pick<SessionUser, 'id' | 'device'> & { locked_until: Date };

/** Spec 3.2 row 4: a lock ends by itself. */
export function isLocked<Row extends Pick<LoginUser, 'locked_until'>>(
  row: Row,
  now: Date,
): row is Row & { locked_until: Date } {
  return row.locked_until !== null && row.locked_until > now;
}

/** Spec 3.2 row 3: writes `account_locked`. */
export async function refuseLocked(
  { config, db }: Deps<'config' | 'db'>,
  { id: userId, locked_until: lockedUntil, device }: LockedUser,
  origin: RequestOrigin,
  now: Date,
): Promise<Locked> {
  const by: 'account' | 'device' = device === undefined ? 'account' : 'device';
  const metadata = { locked_until: lockedUntil.toISOString(), ...(config.knownDevices ? { by } : {}) };
  await writeAudit(db, [{ eventType: 'account_locked', userId, ...origin, metadata }], now);
  return { ...refused('account_locked'), retryAfterSeconds: Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000) };
}

/** @param table with the row whose failures are counted: of the account, or of a known device (Interface 16) */
function countingIn(table: 'users' | 'known_devices') {
  return statement(
    `count_failure_in_${table}`,
    { id: 'uuid?', max_failures: 'integer', lock_until: 'timestamptz', now: 'timestamptz', events: 'jsonb' },
    { id: 'uuid', locked: 'boolean' },
  )`
  with counted as (
    update ${table}
    set failed_login_attempts = failed_login_attempts + 1,
      locked_until = case when failed_login_attempts >= :max_failures - 1 then :lock_until else locked_until end
    where id = :id and (locked_until is null or locked_until <= :now)
    returning failed_login_attempts >= :max_failures as locked
  ), audited as (
    ${insertEvents()} where :id is null or exists (select from counted)
    returning id
  )
  select id, coalesce((select locked from counted), false) as locked from audited`;
}

const countInAccountSql = countingIn('users');
const countInDeviceSql = countingIn('known_devices');

/**
 * Spec 3.2, rows 1 and 2: counts a wrong password, locks at the maximum, and writes the event. For an unknown user
 * (`userId` null) the same statement runs, so that it takes the same time.
 * @param device Interface 16: counts and locks in place of the account
 * @returns false if nothing was written, because the account or device was locked, or is gone, since it was read
 */
export async function countFailure(
  { config, db, metrics }: Deps<'config' | 'db' | 'metrics'>,
  event: AuthEvent & { eventType: 'login_failure' | 'password_change_failed' },
  now: Date,
  device?: KnownDevice,
): Promise<boolean> {
  const { maxFailures, lockoutSeconds } = config.login;
  const [written] = await db.run(device === undefined ? countInAccountSql : countInDeviceSql, {
    id: device === undefined ? event.userId : device.id,
    max_failures: maxFailures,
    lock_until: addSeconds(now, lockoutSeconds),
    now,
    events: eventRows([event], now),
  });
  if (written?.locked && device === undefined) metrics.accountLocks.inc();
  return written !== undefined;
}
