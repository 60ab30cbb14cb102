/** `doctor`: whether the database can be reached, takes the writes of a login, and has the tables of this version. (Interface 2 and 9) */
import pg from 'pg';
import type { Config } from '../config/config.js';
import { parseDatabaseUrl } from '../config/database-url.js';
import { isLoopback } from '../config/values.js';
import { DRIVER_TEXTS, explainUnreachable } from '../db/connection-faults.js';
import { DatabaseTooOld, PoolerInBetween } from '../db/database.js';
import { ReadOnlyServer } from '../db/hosts.js';
import { migrationStatus } from '../db/migrate.js';
import { type DatabaseState, databaseStateOf } from '../db/state.js';
import { type Db, type RowOf, statement } from '../db/statement.js';
import { LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../db/time-limits.js';
import { errorLabel } from '../platform/error-label.js';
import { ExplainedError } from '../platform/explained.js';
import { probeLoginWrites } from '../readiness/write-probe.js';
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

async function migrationsAndWrites(db: Db, { redis }: Config): Promise<Finding[]> {
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
  const code = errorLabel(error, DRIVER_TEXTS);
  const seen = `the database takes no writes: ${state} (${code})`;
  return { ...fault('database_writes', seen, REMEDIES[state] ?? 'read the log of PostgreSQL'), code };
}

/** Why it cannot be opened. */
function unreachable(error: unknown, { databaseUrl, dataDir }: Config): Finding {
  if (error instanceof ExplainedError) {
    const { reason, remedy = `read ${dataDir}/pg.log, and end what else uses ${dataDir}` } = error;
    if (error instanceof PoolerInBetween) return fault('pooler', reason, remedy);
    return fault(error instanceof DatabaseTooOld ? 'database_version' : 'database', reason, remedy);
  }
  if (error instanceof ReadOnlyServer) {
    const { role, database } = namesIn(databaseUrl);
    const setting = `alter role ${role} in database ${database} set default_transaction_read_only = off`;
    return fault('database_writes', error.message, `name the primary in DATABASE_URL, or, as a superuser: ${setting}`);
  }
  const { reason, remedy } = explainUnreachable(error);
  return fault('database', reason, remedy);
}

/** Quoted for SQL; without a URL, those of the embedded database. */
function namesIn(databaseUrl: string | undefined): { role: string; database: string } {
  if (databaseUrl === undefined) return { role: 'auth_gateway', database: 'auth_gateway' };
  const { user, database } = new pg.Client({ connectionString: parseDatabaseUrl(databaseUrl).driverUrl });
  return { role: identifier(user ?? 'ROLE'), database: identifier(database ?? 'NAME') };
}

function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name);
}

const databaseConnectionSql = statement(
  'doctor_connection',
  {},
  { process_id: 'integer', statement_ms: 'integer', lock_ms: 'integer', role: 'text' },
)`
  select pg_backend_pid() as process_id, quote_ident(current_user) as role,
    (select setting::integer from pg_settings where name = 'statement_timeout') as statement_ms,
    (select setting::integer from pg_settings where name = 'lock_timeout') as lock_ms`;

/** A pooler gives its clients process ids of its own, because it handles cancel requests itself. */
export async function checkPooler({ config: { databasePooler }, database }: Surroundings): Promise<Finding[]> {
  const { client, db } = await database();
  const [found] = await db.run(databaseConnectionSql, {});
  if (found === undefined) return [];
  const isPooled = client.processID !== found.process_id;
  const seen = `DATABASE_POOLER is ${databasePooler}, and ${isPooled ? 'a pooler is' : 'there is no pooler'} in front of PostgreSQL`;
  if (isPooled && databasePooler === 'none') {
    const what = `${seen}: its connections are shared, so that statements fail now and then`;
    return [fault('pooler', what, 'set DATABASE_POOLER=transaction, or let DATABASE_URL lead to PostgreSQL itself')];
  }
  if (!isPooled && databasePooler === 'transaction') {
    const what = `${seen}, as far as can be seen: every statement is planned again without need`;
    return [
      warning('pooler', what, 'set DATABASE_POOLER=none, or let DATABASE_URL lead to the pooler'),
      timeouts(found),
    ];
  }
  return [ok('pooler', seen), timeouts(found)];
}

/** Without a pooler the gateway sets them itself. */
function timeouts({ statement_ms, lock_ms, role }: RowOf<typeof databaseConnectionSql>): Finding {
  const seen = `statement_timeout is ${statement_ms} ms, lock_timeout is ${lock_ms} ms`;
  if (statement_ms > 0 && lock_ms > 0) return ok('statement_timeout', seen);
  const remedy =
    `alter role ${role} set statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'; alter role ${role} set lock_timeout = '${LOCK_TIMEOUT_MS}ms'; ` +
    'then make the pooler reconnect (PgBouncer: RECONNECT)';
  return warning(
    'statement_timeout',
    `${seen} (0: no limit): PostgreSQL continues with statements that nobody waits for`,
    remedy,
  );
}

export async function checkTls({ database }: Surroundings): Promise<Finding[]> {
  const { encrypted = false, authorized = false, remoteAddress } = (await database()).client.connection.stream;
  if (remoteAddress === undefined || isLoopback(remoteAddress))
    return [ok('database_tls', 'the database is on this machine')];
  const seen = `the database is at ${remoteAddress}`;
  if (encrypted && authorized) return [ok('database_tls', `${seen}, by TLS`)];
  const what = encrypted
    ? 'by TLS, but its certificate is not checked'
    : 'without TLS: anyone on the network can read passwords and tokens';
  const remedy = 'add sslmode=verify-full to DATABASE_URL, and sslrootcert=FILE for a CA of your own';
  return [warning('database_tls', `${seen}, ${what}`, remedy)];
}
