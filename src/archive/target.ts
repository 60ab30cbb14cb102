/** Requirements of a database for an import: empty, with the same migrations, and without a connected gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { migrationStatus } from '../db/migrate.js';
import { isLockTimeout } from '../db/outage.js';
import { type Db, statement } from '../db/statement.js';
import { GATEWAY_VERSION } from '../platform/versions.js';
import type { Header } from './format.js';
import { ArchiveRefusal, refuseStopped } from './refusal.js';
import { columnsOf, on, TABLE_NAMES } from './tables.js';

/** How long connections that have just been closed may still be listed. */
const CLOSING_MS = 5_000;
const RECHECK_MS = 100;

/** @throws {ArchiveRefusal} if an existing table has rows */
export async function refuseFull(client: pg.ClientBase): Promise<void> {
  const full: string[] = [];
  for (const table of (await columnsOf(on(client))).keys()) {
    const { rowCount } = await client.query(`select from ${table} limit 1`);
    if (rowCount !== 0) full.push(table);
  }
  if (full.length === 0) return;
  const which = `there are rows in ${full.toSorted().join(', ')}`;
  throw new ArchiveRefusal(`the database is not empty (${which}): import into a new one. Nothing was changed`);
}

/** @param ours names of the migrations of this version */
export function refuseOtherVersion({ gateway_version, migrations: theirs }: Header, ours: readonly string[]): void {
  const lacking = theirs.filter((name) => !ours.includes(name));
  const more = ours.filter((name) => !theirs.includes(name));
  if (lacking.length + more.length === 0) return;
  const differences = [
    ...lacking.map((name) => `only the file has ${name}`),
    ...more.map((name) => `only this version has ${name}`),
  ];
  throw new ArchiveRefusal(
    `the file is of version ${gateway_version} and this is ${GATEWAY_VERSION}, with other migrations: ` +
      `${differences.join('; ')}. Import it with the version that wrote it; the next start of a newer one migrates it. ` +
      'Nothing was changed',
  );
}

/** @param theirs names of the migrations that were applied to the target */
export function refuseOtherTarget({ migrations: ours }: Header, theirs: readonly string[]): void {
  const differences = [
    ...theirs.filter((name) => !ours.includes(name)).map((name) => `it has ${name}, which this version lacks`),
    ...ours.filter((name) => !theirs.includes(name)).map((name) => `it lacks ${name}`),
  ];
  if (differences.length === 0) return;
  throw new ArchiveRefusal(
    `the target database has other migrations: ${differences.join('; ')}. Import into a new database. Nothing was changed`,
  );
}

/** Names of the applied migrations. */
export async function migrationsOf(db: Db): Promise<string[]> {
  return (await migrationStatus(db)).flatMap(({ name, executed_at }) => (executed_at === null ? [] : [name]));
}

/** Until the transaction ends nobody else can use the tables: a gateway that starts meanwhile waits. */
export async function lockTables(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(`lock table ${TABLE_NAMES.join(', ')} in access exclusive mode`);
  } catch (error) {
    if (isLockTimeout(error)) throw inUse('a table is locked');
    throw error;
  }
}

const othersSql = statement('others_on_database', {}, { who: 'text' })`
  select concat(pid, ' (', concat_ws(', ', usename, nullif(application_name, ''), coalesce(host(client_addr), 'local')), ')')
    as who
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and (usename = current_user or application_name = 'auth-gateway')
    and coalesce(backend_type, 'client backend') = 'client backend'`;

/** @throws {ArchiveRefusal} if a gateway, or another program of the same user, is connected to the database */
export async function refuseServed(client: pg.ClientBase, stopped: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + CLOSING_MS;
  for (;;) {
    const others = await on(client).run(othersSql, {});
    if (others.length === 0) return;
    const whom = others.map(({ who }) => who).join(', ');
    if (performance.now() > deadlineMs) throw inUse(`processes of PostgreSQL: ${whom}`);
    await sleep(RECHECK_MS);
    refuseStopped(stopped);
  }
}

function inUse(how: string): ArchiveRefusal {
  const who = 'a gateway or another program is connected to the database';
  return new ArchiveRefusal(`${who} (${how}): stop it first. Nothing was changed`);
}
