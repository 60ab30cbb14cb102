/** Kills processes of PostgreSQL by kill -9, and waits until it and its gateways are well again. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../test/support/until.js';
import { type Instance, ready } from './gateways.js';
import type { Postgres } from './postgres.js';

export async function killPostmaster(db: Postgres, instances: Instance[]): Promise<void> {
  const before = postmasterOf(db);
  process.kill(before, 'SIGKILL');
  await until('another server runs', () => postmasterOf(db) !== before);
  await wellAgain(db, instances);
}

/** A backend that dies takes all others with it: the postmaster ends them and recovers. */
export async function killBackend(db: Postgres, instances: Instance[]): Promise<void> {
  const found = await db.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  const victim = found[randomInt(found.length)]?.pid;
  if (victim === undefined) throw new Error('PostgreSQL has no backends');
  const startsOf = 'select count(*)::integer as n from pg_stat_activity where pid = $1';
  process.kill(victim, 'SIGKILL');
  await until('the backend is gone', () =>
    db.query<{ n: number }>(startsOf, [victim]).then(
      ([row]) => row?.n === 0,
      () => false,
    ),
  );
  await wellAgain(db, instances);
}

/** @returns its process id, 0 if there is none */
export function postmasterOf({ clusterDir }: Pick<Postgres, 'clusterDir'>): number {
  try {
    return Number(readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

async function wellAgain(db: Postgres, instances: Instance[]): Promise<void> {
  await until('PostgreSQL answers', () =>
    db.query('select 1').then(
      () => true,
      () => false,
    ),
  );
  await Promise.all(instances.map(ready));
}
