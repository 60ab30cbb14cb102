/**
 * `doctor`: administrators, second factors, passwords that people did not choose themselves, and expired rows.
 * (Interface 1, 2, 9, 15 and 20)
 */
import { FIRST_ADMINISTRATOR } from '../admin/users.js';
import { EVERY_LINK } from '../auth/password-links.js';
import { openBreachedPasswords } from '../credentials/passwords/breached-passwords.js';
import { BreachedPasswordsError } from '../credentials/passwords/breached-passwords-error.js';
import { only, statement } from '../db/statement.js';
import type { Role } from '../domain/roles.js';
import { addSeconds } from '../platform/clock.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, fault, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

/** Users that a finding names */
const MAX_NAMED = 5;

const administratorsSql = statement(
  'doctor_administrators',
  { first: 'text' },
  { active: 'integer', is_first_unchanged: 'boolean' },
)`
  select count(*)::integer as active,
    coalesce(bool_or(email = :first and password_version = 0), false) as is_first_unchanged
  from users where role = 'admin' and is_active`;

/** The first start prints a password. `password_version` counts each one that is set later. */
export async function checkAdministrators({ config, tables }: Surroundings): Promise<Finding[]> {
  const db = await tables();
  const [found] = await db.run(administratorsSql, { first: FIRST_ADMINISTRATOR });
  if (found === undefined) return [];
  if (found.active === 0) {
    const remedy = { command: 'user invite you@example.com --role admin' };
    return [fault('administrators', 'there is no active administrator', remedy)];
  }
  const administrators = ok('administrators', numberOf(found.active, 'active administrator'));
  const seen = `the password that the first start printed is ${found.is_first_unchanged ? 'still' : 'not'} in use`;
  if (!found.is_first_unchanged || config.isDevelopment) return [administrators, ok('first_administrator', seen)];
  const remedy = { command: `user reset-link ${FIRST_ADMINISTRATOR}` };
  return [administrators, warning('first_administrator', `${seen}, for ${FIRST_ADMINISTRATOR}`, remedy)];
}

const withoutFactorSql = statement(
  'doctor_without_factor',
  { roles: 'text[]' },
  { role: only<Role>('text'), active: 'integer', without: 'integer', ids: 'text[]' },
)`
  select role, count(*)::integer as active, count(*) filter (where not has_factors)::integer as without,
    array(
      select id::text from users as named
      where named.role = users.role and is_active and not has_factors order by id desc limit ${MAX_NAMED}
    ) as ids
  from users where role = any(:roles) and is_active group by role order by role`;

/** Of users whose role needs one. Nothing is read if no role does. */
export async function checkSecondFactors({ config, tables }: Surroundings): Promise<Finding[]> {
  const roles = config.secondFactorRoles;
  if (roles.length === 0) return [ok('second_factors', 'SECOND_FACTOR_ROLES is unset')];
  const db = await tables();
  const found = await db.run(withoutFactorSql, { roles: [...roles] });
  const lacking = found.filter(({ without }) => without > 0);
  if (lacking.length === 0) {
    const users = found.reduce((sum, { active }) => sum + active, 0);
    const seen = `SECOND_FACTOR_ROLES is ${roles.join()}: ${numberOf(users, 'active user')}, none without a second factor`;
    return [ok('second_factors', seen)];
  }
  const where = `My sessions of ${config.publicUrl}/console`;
  return lacking.map(({ role, active, without, ids }) => {
    if (role === 'admin' && without === active) {
      const nobody = `no active administrator (${active}) has a second factor: nobody has their scopes, but commands work`;
      return warning('second_factors', nobody, `log in and add one under ${where}`);
    }
    const named = `${ids.join(', ')}${without > ids.length ? ', …' : ''}`;
    const many = `${without} of ${numberOf(active, `active ${role}`)} without a second factor`;
    const remedy = `ask them to add one under ${where}, which stays open to them`;
    return warning('second_factors', `${many}, and without scopes until they add one: ${named}`, remedy);
  });
}

/** Rows are counted up to this number. */
const MAX_COUNT = 100_000;
const DAY_SECONDS = 86_400;

const expiredSql = statement(
  'doctor_expired',
  { events_before: 'timestamptz', records_before: 'timestamptz' },
  { events: 'integer', records: 'integer', events_size: 'text', records_size: 'text' },
)`
  select
    (select count(*)::integer from (select from audit_events where created_at < :events_before limit ${MAX_COUNT}) as over)
      as events,
    (select count(*)::integer from (select expires_at from refresh_tokens order by jti limit ${MAX_COUNT}) as oldest
      where expires_at < :records_before) as records,
    pg_size_pretty(pg_total_relation_size('audit_events')) as events_size,
    pg_size_pretty(pg_total_relation_size('refresh_tokens')) as records_size`;

/** The sweeper deletes expired rows every minute. Rows that expired a day ago show that it is not running, or is too slow. */
export async function checkExpired({ clock, config, tables }: Surroundings): Promise<Finding[]> {
  const db = await tables();
  const now = clock.now();
  const [found] = await db.run(expiredSql, {
    events_before: addSeconds(now, -(config.auditRetentionDays + 1) * DAY_SECONDS),
    records_before: addSeconds(now, -3 * DAY_SECONDS), // the sweeper keeps them for a day, and finds them within another
  });
  if (found === undefined) return [];
  const { events, records, events_size, records_size } = found;
  const sizes = `audit_events takes ${events_size} (AUDIT_RETENTION_DAYS=${config.auditRetentionDays}), refresh_tokens ${records_size}`;
  if (events + records === 0) return [ok('expired_rows', sizes)];
  const seen = `${sizes}; ${countOf(events, 'event')} and ${countOf(records, 'token')} should have been deleted at least a day ago`;
  const remedy =
    'keep a gateway running, because it deletes them; if one is running, look for "sweeping failed" in its log, and check the clock';
  return [warning('expired_rows', seen, remedy)];
}

function countOf(rows: number, noun: string): string {
  return rows === MAX_COUNT ? `${MAX_COUNT} or more ${noun}s` : numberOf(rows, noun);
}

/** Users are read from the newest, by their IDs in time order, so that many of them cost no more. */
const MAX_READ = 10_000;

const passwordsSql = statement(
  'doctor_user_passwords',
  { now: 'timestamptz' },
  { users: 'integer', by_operator: 'integer', without: 'integer' },
)`
  select count(*)::integer as users,
    count(*) filter (where is_active and password_hash is not null and not password_chosen_by_user)::integer as by_operator,
    count(*) filter (where is_active and password_hash is null and not exists (
      select from ${EVERY_LINK} as link
      where user_id = id and expires_at > :now and link.password_version = newest.password_version
    ))::integer as without
  from (
    select id, is_active, password_hash, password_chosen_by_user, password_version from users
    order by id desc limit ${MAX_READ}
  ) as newest`;

/** In development passwords of operators are usual. */
export async function checkUserPasswords({ clock, config, tables }: Surroundings): Promise<Finding[]> {
  const db = await tables();
  const [found] = await db.run(passwordsSql, { now: clock.now() });
  if (found === undefined) return [];
  const { users, by_operator, without } = found;
  const among = users === MAX_READ ? ` among the newest ${MAX_READ}` : '';
  return [
    by_operator === 0 || config.isDevelopment
      ? ok(
          'operator_passwords',
          `${numberOf(by_operator, 'active user')}${among} with a password that an operator has set`,
        )
      : warning(
          'operator_passwords',
          `${numberOf(by_operator, 'active user')}${among} with a password that an operator has set, and that was not changed since`,
          { advice: 'ask them to change it, or for each', command: 'user reset-link EMAIL' },
        ),
    without === 0
      ? ok('users_without_password', `no user${among} has neither a password nor a link to set one`)
      : warning(
          'users_without_password',
          `${numberOf(without, 'active user')}${among} with neither a password nor a valid link to set one`,
          {
            advice: 'for each of them that "user list" shows without has_password',
            command: 'user reset-link EMAIL',
          },
        ),
  ];
}

export async function checkBreachedPasswords({ config }: Surroundings): Promise<Finding[]> {
  const path = config.breachedPasswords;
  if (path === undefined) return [ok('breached_passwords', 'BREACHED_PASSWORDS is unset')];
  try {
    await openBreachedPasswords(path);
    return [ok('breached_passwords', `BREACHED_PASSWORDS: ${path} can be read`)];
  } catch (error) {
    if (!(error instanceof BreachedPasswordsError)) throw error;
    return [fault('breached_passwords', error.reason, error.remedy ?? '')];
  }
}
