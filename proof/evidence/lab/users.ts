/** Users with one password: one is made by the command line, the others are copies of its row. */
import { type Gateways, PASSWORD } from './gateways.js';
import type { Postgres } from './postgres.js';

export { PASSWORD };

/** @returns their e-mails: the first `count` of `user0@example.com` and so on */
export async function createUsers({ cli }: Gateways, db: Pick<Postgres, 'query'>, count: number): Promise<string[]> {
  await cli('user', 'create', emailOf(0), '--role', 'viewer', '--password-stdin');
  await db.query(
    `insert into users (id, email, password_hash, role, created_at)
     select gen_random_uuid(), 'user' || number || '@example.com', password_hash, role, created_at
     from users, generate_series(1, $1::integer - 1) as number where email = $2`,
    [count, emailOf(0)],
  );
  return Array.from({ length: count }, (_, index) => emailOf(index));
}

function emailOf(index: number): string {
  return `user${index}@example.com`;
}
