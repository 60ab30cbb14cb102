/** Interface 9, `doctor`: whether the database can be reached, takes the writes of a login, and has the tables of this version. */
import type { Config } from '../config/config.js';
import { migrationStatus } from '../db/migrate.js';
import { type DatabaseState, databaseStateOf } from '../db/state.js';
import { type Db, statement } from '../db/statement.js';
import { errorLabel } from '../platform/fixed-texts.js';
import { probeLoginWrites } from '../readiness/write-probe.js';
import { unreachable } from './database-away.js';
import { type Finding, fault, ok, warning } from './finding.js';
import { DatabaseUnavailable, type OpenedDatabase, type Surroundings } from './surroundings.js';

const databaseSql = statement('doctor_database', {}, { version: 'text', name: 'text', role: 'text' })`
  select current_setting('server_version') as version, current_database()::text as name, current_user::text as role`;

export async function checkDatabase({ config, database }: Surroundings): Promise<Finding[]> {
  let opened: OpenedDatabase;
  try {
    opened = await database();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return [unreachable(error.cause, config)];
  }
  const { db } = opened;
  const [found] = await db.run(databaseSql, {});
  return [
    ok('database', `connected to ${found?.name} as ${found?.role}`),
    ok('database_version', `PostgreSQL ${found?.version}`),
    ...(await migrationsAndWrites(db, config)),
  ];
}

async function migrationsAndWrites(db: Db, { redis }: Pick<Config, 'redis'>): Promise<Finding[]> {
  const migrations = await migrationStatus(db);
  const newer = migrations.filter(({ known }) => !known).map(({ name }) => name);
  const breaking = migrations.find(({ known, breaks_older }) => !known && breaks_older);
  const pending = migrations.filter(({ known, executed_at }) => known && executed_at === null);
  if (breaking !== undefined) {
    const seen = `a newer version has migrated the database, and this version cannot use it (${breaking.name})`;
    return [fault('migrations', seen, 'start that newer version, or restore a backup from before it')];
  }
  if (pending.length > 0) {
    const seen = `${pending.length} of ${migrations.length} migrations are missing, starting with ${pending[0]?.name}`;
    return [fault('migrations', seen, { command: 'migrate up' })];
  }
  const ahead = `a newer version has migrated the database, and this version can still use it (${newer.join()})`;
  const writes = await probeLoginWrites(db, redis === undefined).then(
    () => ok('database_writes', 'a login can be written'),
    cannotWrite,
  );
  return [
    newer.length > 0
      ? warning('migrations', ahead, 'complete the upgrade: start that newer version here too')
      : ok('migrations', `all ${migrations.length} are applied`),
    writes,
  ];
}

const REMEDIES: Partial<Record<DatabaseState, string>> = {
  full: 'free space on the disk of PostgreSQL',
  locked:
    "find who holds a table: select pid, state, query from pg_stat_activity where state <> 'idle'; then end it: select pg_terminate_backend(PID)",
};

function cannotWrite(error: unknown): Finding {
  const state = databaseStateOf(error);
  const code = errorLabel(error);
  const seen = `the database takes no writes: ${state} (${code})`;
  return { ...fault('database_writes', seen, REMEDIES[state] ?? 'read the log of PostgreSQL'), code };
}
