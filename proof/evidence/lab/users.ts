/** Users with one password: one is made by the command line, the others are copies of its row. */
import { type Gateways, PASSWORD } from './gateways.js';
import type { Postgres } from './postgres.js';

export { PASSWORD };

const FIRST = 'user0@example.com';

/** @returns their e-mails: the first `count` of `user0@example.com` and so on */
export async function createUsers({ cli }: Gateways, db: Pick<Postgres, 'query'>, count: number): Promise<string[]> {
  await cli('user', 'create', FIRST, '--role', 'viewer', '--password-stdin');
  return [FIRST, ...(await addUsers(db, 'user', count - 1))];
}

/** Copies of `user0@example.com`. @returns their e-mails: `NAME1@example.com` and so on */
export async function addUsers(db: Pick<Postgres, 'query'>, name: string, count: number): Promise<string[]> {
  await db.query(
    `insert into users (id, email, password_hash, role, created_at)
     select gen_random_uuid(), $1 || number || '@example.com', password_hash, role, created_at
     from users, generate_series(1, $2::integer) as number where email = $3`,
    [name, count, FIRST],
  );
  return Array.from({ length: count }, (_, index) => `${name}${index + 1}@example.com`);
}
