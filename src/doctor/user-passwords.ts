/** Interface 9 and 15, `doctor`: passwords that people did not choose themselves. */
import { EVERY_LINK } from '../auth/password-links.js';
import { schemaState } from '../db/migrate.js';
import { statement } from '../db/statement.js';
import { numberOf } from '../platform/number-of.js';
import { type Finding, ok, warning } from './finding.js';
import type { Surroundings } from './surroundings.js';

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
export async function checkUserPasswords({ clock, config, database }: Surroundings): Promise<Finding[]> {
  const { db } = await database();
  if ((await schemaState(db)) === 'behind') return [];
  const [found] = await db.run(passwordsSql, { now: clock.now() });
  if (found === undefined) return [];
  const { users, by_operator, without } = found;
  const among = users === MAX_READ ? ` among the newest ${MAX_READ}` : '';
  return [
    by_operator === 0 || config.isDevelopment
      ? ok('operator_passwords', `${countOf(by_operator)}${among} with a password that an operator has set`)
      : warning(
          'operator_passwords',
          `${countOf(by_operator)}${among} with a password that an operator has set, and that was not changed since`,
          { advice: 'ask them to change it, or for each', command: 'user reset-link EMAIL' },
        ),
    without === 0
      ? ok('users_without_password', `no user${among} without a password and a link to set it`)
      : warning('users_without_password', `${countOf(without)}${among} without a password and a valid link to set it`, {
          advice: 'for each of them that "user list" shows without has_password',
          command: 'user reset-link EMAIL',
        }),
  ];
}

function countOf(users: number): string {
  return numberOf(users, 'active user');
}
