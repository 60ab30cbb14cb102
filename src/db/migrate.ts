/** CONTRACT 9: migrations, applied and listed. */
import { sql } from 'kysely';
import { migrations } from '../../migrations/index.js';
import { type Database, openDatabase } from './database.js';

/** Key of the advisory lock under which one instance migrates while the others wait. */
const MIGRATION_LOCK = 7_241_093_518;

/**
 * Applies what is pending, oldest first, all or nothing; instances that start together take turns. On a connection
 * of its own, without the limits of a request: an index over many rows takes its time.
 * @returns the names of what was applied
 */
export async function migrateUp({ url }: Database): Promise<string[]> {
  const { orm, close } = await openDatabase(url, false);
  try {
    return await orm.em.fork().transactional(async (em) => {
      await em.execute(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      const applied = await orm.migrator.up({ transaction: em.getTransactionContext() });
      return applied.map(({ name }) => name);
    });
  } finally {
    await close();
  }
}

export interface MigrationStatus {
  name: string;
  /** When it was applied; null: pending. */
  executed_at: string | null;
}

/** Every migration known to this version, oldest first, and when it was applied. Writes nothing. */
export async function migrationStatus(database: Database): Promise<MigrationStatus[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('mikro_orm_migrations') is not null as exists`.execute(database.sql);
  const executed = new Map<string, string>();
  if (found[0]?.exists) {
    const { rows } = await sql<{ name: string; executed_at: Date }>`
      select name, executed_at from mikro_orm_migrations`.execute(database.sql);
    for (const row of rows) executed.set(row.name, row.executed_at.toISOString());
  }
  return migrations.map(({ name }) => ({ name, executed_at: executed.get(name) ?? null }));
}
