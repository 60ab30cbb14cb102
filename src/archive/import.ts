/** `database import` fills an empty database from a file, all or nothing. (Interface 9) */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { KeyringError } from '../credentials/keyring/keyring-error.js';
import { missingKeys } from '../credentials/keyring/needed-keys.js';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import { type Database, openDatabase, PoolerInBetween } from '../db/database.js';
import { beginMigrating, MIGRATION_NAMES, migrateUp, migrationStatus, refuseTooNew } from '../db/migrate.js';
import type { Pooler } from '../db/time-limits.js';
import { refuseAltered, type Verifier, verifiersOf } from './authenticity.js';
import { type Header, lastLine, type TableHead, type Trailer, tableHead, trailer } from './format.js';
import { type Progress, startProgress } from './progress.js';
import { type Archive, damaged, openArchive } from './read-file.js';
import { ArchiveRefusal, refuseStopped } from './refusal.js';
import {
  columnsOf,
  listed,
  noTransactionTimeoutSql,
  on,
  readTables,
  SETTINGS,
  TABLE_NAMES,
  tablesIn,
} from './tables.js';
import { lockTables, migrationsOf, refuseFull, refuseNewerTarget, refuseOtherVersion, refuseServed } from './target.js';

export interface HowToImport {
  /** Opens the server; called only if file and keyring are valid */
  open(): Promise<{ url: string; pooler: Pooler }>;
  /** @param needs `kid`s, for the message if there is no keyring @throws {KeyringError} */
  readKeys(needs: readonly string[]): Promise<PrivateJwk[]>;
  now: Date;
  /** Also import a file that no key of the keyring can verify */
  unauthenticated: boolean;
  /** Receives lines about the progress */
  report(line: string): void;
  stopped: AbortSignal;
}

export interface Imported extends Trailer {
  header: Header;
  /** `kid`s of the keys that have verified the file; if there are none, it may have been altered */
  verifiedBy: string[];
}

/**
 * Migrates an empty database as far as the exported one was. Then one transaction fills its tables and migrates them the rest
 * of the way, so that migrations that move data find it.
 * @throws {ArchiveRefusal}, {KeyringError}, or an error of the file or the database. No row is written then
 */
export async function importDatabase(file: string, how: HowToImport): Promise<Imported> {
  const archive = await openArchive(file, how.stopped);
  try {
    const { header } = archive;
    refuseOtherVersion(header);
    const jwks = await how.readKeys(header.needs_keys.map(({ kid }) => kid));
    await refuseOtherKeyring(header, jwks, how.now);
    const verifiers = verifiersOf(header, jwks, how.unauthenticated);
    const { pooler, url } = await how.open();
    if (pooler !== 'none') throw new ArchiveRefusal(BEHIND_POOLER);
    await prepare(url, header.migrations, how.stopped);
    const written = await fill(url, archive, verifiers, how);
    return { header, verifiedBy: verifiers.map(({ key }) => key.kid), ...written };
  } finally {
    await archive.close();
  }
}

const BEHIND_POOLER =
  'an import is one long transaction and checks who else is connected: for this command set DATABASE_URL to PostgreSQL ' +
  'itself and leave out DATABASE_POOLER. Nothing was changed';

/** @throws {KeyringError} if the keyring lacks a key that the file needs */
async function refuseOtherKeyring(header: Header, jwks: readonly PrivateJwk[], now: Date): Promise<void> {
  const needed = header.needs_keys.map(({ until, ...key }) => ({
    ...key,
    until: until === null ? null : new Date(until),
  }));
  const missing = await missingKeys(needed, jwks, now);
  if (missing.length === 0) return;
  const which = missing.map(({ kid, kind }) => `${kid} (${kind})`).join(', ');
  const reason = `the keyring does not belong to the file: it lacks ${which}`;
  throw new KeyringError(reason, 'use the keyring of the exported database. Nothing was changed');
}

/** Applies migrations to an empty database; refuses one with rows or with a connected gateway. */
async function prepare(url: string, migrations: readonly string[], stopped: AbortSignal): Promise<void> {
  refuseStopped(stopped);
  const db = await openDatabase(url).catch((error: unknown) => {
    throw error instanceof PoolerInBetween ? new ArchiveRefusal(BEHIND_POOLER) : error;
  });
  try {
    refuseTooNew(await migrationStatus(db));
    const client = await db.pool.connect();
    await refuseFull(client)
      .then(() => refuseServed(client, stopped))
      .finally(() => client.release());
    await migrateUp(db, undefined, migrations);
  } finally {
    await db.close();
  }
}

async function fill(
  url: string,
  archive: Archive,
  verifiers: readonly Verifier[],
  { stopped, report }: HowToImport,
): Promise<Trailer> {
  const db = await openDatabase(url, { limited: false });
  const progress = startProgress(report);
  const client = await db.pool.connect();
  /** Fails any pending statement, which could take minutes. */
  const cutOff = (): void => void client.end();
  stopped.addEventListener('abort', cutOff);
  let isDone = false;
  try {
    refuseStopped(stopped);
    const written = await fillTables(db, client, archive, verifiers, progress).catch((error: unknown) => {
      refuseStopped(stopped);
      throw error;
    });
    refuseStopped(stopped);
    stopped.removeEventListener('abort', cutOff); // a later stop comes too late
    await client.query('commit');
    isDone = true;
    return written;
  } finally {
    progress.stop();
    client.release(!isDone); // if not done, closing the connection rolls back
    await db.close();
  }
}

/** Everything but the end of the transaction. */
async function fillTables(
  db: Database,
  client: pg.ClientBase,
  archive: Archive,
  verifiers: readonly Verifier[],
  progress: Progress,
): Promise<Trailer> {
  const transaction = await beginMigrating(db, client);
  await client.query(SETTINGS);
  await on(client).run(noTransactionTimeoutSql, {});
  await lockTables(client);
  const applied = await migrationsOf(on(client));
  refuseNewerTarget(applied);
  await refuseFull(client);
  const { migrations } = archive.header;
  await transaction.revert(applied.filter((name) => !migrations.includes(name)));
  await eachTable(client, (table) => `alter table ${table} disable trigger user`); // the file has the rows that triggers write
  const written = await writeTables(client, archive, progress);
  const claimed = await archive.line(trailer);
  const digest = archive.digest();
  const { hmac_sha256: macs } = await archive.line(lastLine);
  await archive.end();
  if (!isSame(written, claimed)) throw damaged('its rows do not match its trailer');
  refuseAltered(verifiers, digest, macs);
  const found = await readBack(client, progress);
  if (!isSame(found, claimed)) throw new ArchiveRefusal('the tables differ from the file: nothing was imported');
  await eachTable(client, (table) => `alter table ${table} enable trigger user`);
  progress.at('migrations');
  await transaction.apply(MIGRATION_NAMES);
  progress.at('statistics');
  await eachTable(client, (table) => `analyze ${table}`);
  return claimed;
}

async function eachTable(client: pg.ClientBase, sql: (table: string) => string): Promise<void> {
  for (const table of await tablesIn(on(client))) await client.query(sql(table));
}

/** @returns checksum of the rows in the file, and PostgreSQL's counts */
async function writeTables(client: pg.ClientBase, archive: Archive, progress: Progress): Promise<Trailer> {
  const hash = createHash('sha256');
  const columns = await columnsOf(on(client));
  const rows: Record<string, number> = {};
  for (const table of TABLE_NAMES) {
    const expected = columns.get(table);
    if (expected === undefined) continue; // of a later version
    progress.at(table);
    const head: TableHead = await archive.line(tableHead);
    const isExpected = head.table === table && head.columns.join() === expected.join();
    if (!isExpected) throw damaged('its tables or columns differ');
    const stream = client.query(copyFrom(`copy ${table} (${listed(head.columns)}) from stdin`));
    async function* pieces(): AsyncGenerator<Buffer> {
      for await (const piece of archive.rows()) {
        hash.update(piece);
        progress.bytes(piece.length);
        yield piece;
      }
    }
    await pipeline(pieces(), stream).catch((error: unknown) => {
      throw isRowError(error) ? damaged(`PostgreSQL refuses a row of ${table}, ${error.code}`) : error;
    });
    rows[table] = stream.rowCount;
  }
  return { rows, sha256: hash.digest('hex') };
}

/** SQLSTATE data_exception, integrity_constraint_violation or program_limit_exceeded, whose message may quote a row. */
function isRowError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(2[23]|54)/.test(error.code ?? '');
}

/** Reads the tables as an export does. */
async function readBack(client: pg.ClientBase, progress: Progress): Promise<Trailer> {
  const { parts, result } = readTables(client);
  for await (const part of parts) {
    if (!Buffer.isBuffer(part)) progress.at(`${part.table}, read back`);
  }
  await client.query('select'); // answered after the counts
  return result();
}

function isSame(one: Trailer, other: Trailer): boolean {
  return one.sha256 === other.sha256 && TABLE_NAMES.every((table) => one.rows[table] === other.rows[table]);
}
