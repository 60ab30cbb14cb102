/** CONTRACT 9: migrations, applied and listed. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import { migrations } from '../../migrations/index.js';
import { type Database, openDatabase } from './database.js';
import { LOCKS } from './locks.js';
import { type Db, statement } from './statement.js';

/**
 * Applies what is pending, oldest first, all or nothing; instances that start together take turns. On a connection
 * of its own, without the limits of a request: an index over many rows takes its time.
 * @returns the names of what was applied
 */
export async function migrateUp({ url, pooler }: Database): Promise<string[]> {
  const { orm, close } = await openDatabase(url, { pooler, limited: false });
  try {
    let applied: string[] | undefined;
    while (applied === undefined) {
      applied = await orm.em.fork().transactional((em) => migrateInTurn(orm, em));
      if (applied === undefined) await sleep(TURN_MS);
    }
    return applied;
  } finally {
    await close();
  }
}

/** How often it is asked whose turn it is: milliseconds. */
const TURN_MS = 100;

/**
 * @returns undefined where it is another's turn. It is not waited for inside the transaction: that would hold a
 * connection, and the one whose turn it is needs a second.
 */
async function migrateInTurn(orm: MikroORM, em: SqlEntityManager): Promise<string[] | undefined> {
  const [turn] = await em.execute<[{ is_ours: boolean; database: string }]>(
    `select pg_try_advisory_xact_lock(${LOCKS.migration}) as is_ours, current_database()::text as database`,
  );
  if (!turn.is_ours) return undefined;
  orm.config.set('dbName', turn.database); // a pooler may call it otherwise, and what is not there would be created
  const applied = await orm.migrator.up({ transaction: em.getTransactionContext() });
  return applied.map(({ name }) => name);
}

export interface MigrationStatus {
  name: string;
  /** When it was applied; null: pending. */
  executed_at: string | null;
}

const tableOfMigrationsSql = statement('table_of_migrations', {}, { exists: 'boolean' })`
  select to_regclass('mikro_orm_migrations') is not null as exists`;

const executedMigrationsSql = statement('executed_migrations', {}, { name: 'text', executed_at: 'timestamptz' })`
  select name::text, executed_at from mikro_orm_migrations`;

/** Every migration known to this version, oldest first, and when it was applied. Writes nothing. */
export async function migrationStatus(db: Db): Promise<MigrationStatus[]> {
  const [found] = await db.run(tableOfMigrationsSql, {});
  const executed = new Map<string, string>();
  for (const row of found?.exists ? await db.run(executedMigrationsSql, {}) : []) {
    executed.set(row.name, row.executed_at.toISOString());
  }
  return migrations.map(({ name }) => ({ name, executed_at: executed.get(name) ?? null }));
}
