/** Applies and lists migrations, and decides whether this version can use those of a newer one. (Interface 9) */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM, SqlEntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { migrations } from '../../migrations/index.js';
import { type Database, openDatabase } from './database.js';
import { LOCKS } from './locks.js';
import { isLockTimeout } from './outage.js';
import { type Db, statement } from './statement.js';

/** The migrations of this version, oldest first. */
export const MIGRATION_NAMES = migrations.map(({ name }) => name);

/**
 * Ends the name of a migration that breaks the previous version. An older version reads the name in the database, so it
 * never changes.
 */
const BREAKING = '_breaking';

/** A newer version has migrated the database, and this one cannot use it. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew';
}

export interface Migrated {
  /** Names of the migrations applied now */
  applied: string[];
  /** Names of compatible migrations that a newer version has applied */
  newer: string[];
}

/**
 * Applies pending migrations, oldest first, each in one transaction; instances that start together share a lock. It uses a
 * connection of its own without time limits, since an index over many rows takes long.
 * @param onWait called once if another program holds a table
 * @param wanted names of the migrations to apply: all by default
 * @throws {DatabaseTooNew} if so, nothing was applied
 */
export async function migrateUp(
  asked: Database,
  onWait: () => void = () => undefined,
  wanted: readonly string[] = MIGRATION_NAMES,
): Promise<Migrated> {
  const before = await migrationStatus(asked);
  refuseTooNew(before);
  if (nextOf(before, wanted) === undefined) return { applied: [], newer: newerOf(before) };
  const db = await openDatabase(asked.url, { pooler: asked.pooler, limited: false });
  const applied: string[] = [];
  let isWaiting = false;
  try {
    const orm = await db.orm();
    for (;;) {
      const step = await orm.em
        .fork()
        .transactional((em) => applyOldest(db, orm, em, wanted))
        .catch(heldUp);
      if (step.kind === 'done') return { applied, newer: step.newer };
      if (step.kind === 'applied') applied.push(step.name);
      else await sleep(LOCK_INTERVAL_MS);
      if (step.kind === 'held_up' && !isWaiting) onWait();
      isWaiting ||= step.kind === 'held_up';
    }
  } finally {
    await db.close();
  }
}

/** How often an instance tries to take the lock. */
const LOCK_INTERVAL_MS = 100;
/** How long a migration waits for a table. Requests of other instances queue up behind it meanwhile. */
const LOCK_TIMEOUT_MS = 1_000;

/** The outcome of one transaction. */
type Step =
  | { kind: 'applied'; name: string }
  | { kind: 'done'; newer: string[] }
  /** `another`: another instance has the lock. `held_up`: a table is locked. */
  | { kind: 'another' | 'held_up' };

/**
 * Applies the oldest pending migration. It does not wait for the lock inside the transaction: that would hold a
 * connection while the other instance needs a second one.
 */
async function applyOldest(
  db: Database,
  orm: MikroORM,
  em: SqlEntityManager,
  wanted: readonly string[],
): Promise<Step> {
  const [lock] = await em.execute<[{ is_ours: boolean; database: string }]>(
    `select pg_try_advisory_xact_lock(${LOCKS.migration}) as is_ours, current_database()::text as database`,
  );
  if (!lock.is_ours) return { kind: 'another' };
  const listed = await migrationStatus(db);
  refuseTooNew(listed);
  const next = nextOf(listed, wanted);
  if (next === undefined) return { kind: 'done', newer: newerOf(listed) };
  await em.execute(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  setDatabaseName(orm, lock.database);
  await orm.migrator.up({ to: next.name, transaction: em.getTransactionContext() });
  return { kind: 'applied', name: next.name };
}

/** The URL may have none, or a pooler another one, and MikroORM would create that database. */
function setDatabaseName(orm: MikroORM, name: string | undefined): void {
  orm.config.set('dbName', name);
}

/** The oldest pending migration. */
function nextOf(listed: MigrationStatus[], wanted: readonly string[]): MigrationStatus | undefined {
  return listed.find(({ name, executed_at }) => wanted.includes(name) && executed_at === null);
}

/** Migrations as parts of one transaction. */
export interface MigratingTransaction {
  /** Applies those of these that are pending, oldest first. */
  apply(names: readonly string[]): Promise<void>;
  /** Takes back those of these that were applied, newest first. */
  revert(names: readonly string[]): Promise<void>;
}

/** Begins a transaction (READ COMMITTED) on a connection. A caller that migrates in it first takes `LOCKS.migration`. */
export async function beginMigrating(db: Database, client: pg.ClientBase): Promise<MigratingTransaction> {
  const { kyselyOn } = await import('./kysely.js');
  const orm = await db.orm();
  const { rows } = await client.query<{ database: string }>('select current_database()::text as database');
  setDatabaseName(orm, rows[0]?.database);
  const transaction = await kyselyOn((query) => client.query(query))
    .startTransaction()
    .setIsolationLevel('read committed')
    .execute();
  return {
    apply: async (names) => void (await orm.migrator.up({ migrations: [...names], transaction })),
    revert: async (names) => void (await orm.migrator.down({ migrations: [...names], transaction })),
  };
}

function newerOf(listed: MigrationStatus[]): string[] {
  return listed.filter(({ known }) => !known).map(({ name }) => name);
}

/** @throws any other error */
function heldUp(error: unknown): Step {
  if (isLockTimeout(error)) return { kind: 'held_up' };
  throw error;
}

export interface MigrationStatus {
  name: string;
  /** Null: pending */
  executed_at: string | null;
  /** False: of a newer version */
  known: boolean;
  /** Versions that do not know it cannot use the database */
  breaks_older: boolean;
}

const tableOfMigrationsSql = statement('table_of_migrations', {}, { exists: 'boolean' })`
  select to_regclass('mikro_orm_migrations') is not null as exists`;

const executedMigrationsSql = statement('executed_migrations', {}, { name: 'text', executed_at: 'timestamptz' })`
  select name::text, executed_at from mikro_orm_migrations`;

/** Every migration of this version, oldest first, and those that a newer version has applied. Writes nothing. */
export async function migrationStatus(db: Db): Promise<MigrationStatus[]> {
  const [found] = await db.run(tableOfMigrationsSql, {});
  const executed = new Map<string, string>();
  for (const row of found?.exists ? await db.run(executedMigrationsSql, {}) : []) {
    executed.set(row.name, row.executed_at.toISOString());
  }
  const newer = [...executed.keys()].filter((name) => !MIGRATION_NAMES.includes(name)).sort();
  return [...MIGRATION_NAMES, ...newer].map((name) => ({
    name,
    executed_at: executed.get(name) ?? null,
    known: MIGRATION_NAMES.includes(name),
    breaks_older: name.endsWith(BREAKING),
  }));
}

/** @throws {DatabaseTooNew} if a migration of a newer version breaks this one */
export function refuseTooNew(listed: MigrationStatus[]): void {
  const breaking = listed.find(({ known, breaks_older }) => !known && breaks_older);
  if (breaking === undefined) return;
  throw new DatabaseTooNew(
    `the database was migrated by a newer version, which this one cannot use (${breaking.name})`,
  );
}

/** `behind`: migrations of this version are pending. `ahead`: a migration of a newer version breaks this one. */
export type SchemaState = 'ok' | 'behind' | 'ahead';

const schemaStateSql = statement('schema_state', { ours: 'text[]' }, { behind: 'boolean', ahead: 'boolean' })`
  select coalesce(not :ours <@ array_agg(name::text), true) as behind,
    coalesce(bool_or(name <> all(:ours) and right(name, ${BREAKING.length}) = '${BREAKING}'), false) as ahead
  from mikro_orm_migrations`;

/** Whether this version can use the tables as they are now, in one cheap statement. */
export async function schemaState(db: Db): Promise<SchemaState> {
  try {
    const [state] = await db.run(schemaStateSql, { ours: MIGRATION_NAMES });
    if (state?.ahead) return 'ahead';
    return state?.behind ? 'behind' : 'ok';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return 'behind';
    throw error;
  }
}

/** SQLSTATE */
const UNDEFINED_TABLE = '42P01';
