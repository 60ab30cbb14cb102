/** Requirements of a database for an import: empty, without migrations of a newer version or a connected gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { LOCKS } from '../db/locks.js';
import { MIGRATION_NAMES, migrationStatus } from '../db/migrate.js';
import { isLockTimeout } from '../db/outage.js';
import { type Db, statement } from '../db/statement.js';
import { GATEWAY_VERSION, UNKNOWN_REVISION } from '../platform/versions.js';
import type { Header } from './format.js';
import { ArchiveRefusal, refuseStopped } from './refusal.js';
import { on, tablesIn } from './tables.js';

/** How long connections that have just been closed may still be listed. */
const CLOSING_MS = 5_000;
const RECHECK_MS = 100;

/** @throws {ArchiveRefusal} if an existing table has rows */
export async function refuseFull(client: pg.ClientBase): Promise<void> {
  const full: string[] = [];
  for (const table of await tablesIn(on(client))) {
    const { rowCount } = await client.query(`select from ${table} limit 1`);
    if (rowCount !== 0) full.push(table);
  }
  if (full.length === 0) return;
  const which = `there are rows in ${full.toSorted().join(', ')}`;
  throw new ArchiveRefusal(`the database is not empty (${which}): import into a new one. Nothing was changed`);
}

/** @throws {ArchiveRefusal} unless this version, or an older one, has the migrations of the file */
export function refuseOtherVersion(header: Header): void {
  const { gateway_version, migrations: theirs } = header;
  const lacking = theirs.filter((name) => !MIGRATION_NAMES.includes(name));
  const more = MIGRATION_NAMES.slice(0, theirs.length - lacking.length).filter((name) => !theirs.includes(name));
  if (lacking.length + more.length === 0) return;
  const differences = [
    ...lacking.map((name) => `only the file has ${name}`),
    ...more.map((name) => `only this version has ${name}`),
  ];
  const revision = 'revision' in header && header.revision !== UNKNOWN_REVISION ? header.revision : undefined;
  const writer = revision === undefined ? 'the version that wrote it' : `revision ${revision}, which wrote it`;
  throw new ArchiveRefusal(
    `the file is of version ${gateway_version} and this is ${GATEWAY_VERSION}, with other migrations: ` +
      `${differences.join('; ')}. Import it with ${writer}, or with a later one. Nothing was changed`,
  );
}

/** @param applied names of the migrations of the target @throws {ArchiveRefusal} if a newer version has migrated it */
export function refuseNewerTarget(applied: readonly string[]): void {
  const newer = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  if (newer.length === 0) return;
  const differences = newer.map((name) => `it has ${name}, which this version lacks`).join('; ');
  throw new ArchiveRefusal(
    `the target database has other migrations: ${differences}. Import into a new database. Nothing was changed`,
  );
}

/** Names of the applied migrations. */
export async function migrationsOf(db: Db): Promise<string[]> {
  return (await migrationStatus(db)).flatMap(({ name, executed_at }) => (executed_at === null ? [] : [name]));
}

/** Until the transaction ends nobody else can use or migrate the tables: a gateway that starts meanwhile waits. */
export async function lockTables(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(`select pg_advisory_xact_lock(${LOCKS.migration})`);
    await client.query(`lock table ${(await tablesIn(on(client))).join(', ')} in access exclusive mode`);
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
