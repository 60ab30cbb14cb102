/** Interface 9: `database import`: all tables from a file into an empty database, or nothing. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { KeyringError } from '../credentials/keyring/keyring-file.js';
import { missingKeys } from '../credentials/keyring/needed-keys.js';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import { openDatabase, PoolerInBetween } from '../db/database.js';
import { MIGRATION_NAMES, migrateUp, migrationStatus, refuseTooNew } from '../db/migrate.js';
import type { Pooler } from '../db/time-limits.js';
import { refuseAltered, type Verifier, verifiersOf } from './authenticity.js';
import { type Header, lastLine, type TableHead, type Trailer, tableHead, trailer } from './format.js';
import { type Progress, startProgress } from './progress.js';
import { type Archive, damaged, openArchive } from './read-file.js';
import { ArchiveRefusal, refuseStopped } from './refusal.js';
import { columnsOf, listed, noTransactionTimeoutSql, on, readTables, SETTINGS, TABLE_NAMES } from './tables.js';
import { lockTables, migrationsOf, refuseFull, refuseOtherTarget, refuseOtherVersion, refuseServed } from './target.js';

export interface HowToImport {
  /** Opens the server, once the file and the keyring are known to be good for it */
  open(): Promise<{ url: string; pooler: Pooler }>;
  /** @param needs `kid`s, for what is said where there is no keyring @throws {KeyringError} */
  readKeys(needs: readonly string[]): Promise<PrivateJwk[]>;
  now: Date;
  /** True where a file is wanted too that no key of the keyring can verify */
  unauthenticated: boolean;
  /** Is told a line now and then */
  tell(line: string): void;
  stopped: AbortSignal;
}

export interface Imported extends Trailer {
  header: Header;
  /** `kid`s of the keys that have verified the file; none: nothing says that it was not altered */
  verifiedBy: string[];
}

/**
 * Brings the tables to this version where they are not there yet, and fills them in one transaction.
 * @throws {ArchiveRefusal}, {KeyringError}, or the error of the file or of the database; then no table has a row more
 */
export async function importDatabase(file: string, how: HowToImport): Promise<Imported> {
  const archive = await openArchive(file, how.stopped);
  try {
    const { header } = archive;
    refuseOtherVersion(header, MIGRATION_NAMES);
    const jwks = await how.readKeys(header.needs_keys.map(({ kid }) => kid));
    await refuseOtherKeyring(header, jwks, how.now);
    const verifiers = verifiersOf(header, jwks, how.unauthenticated);
    const { pooler, url } = await how.open();
    if (pooler !== 'none') throw new ArchiveRefusal(BEHIND_POOLER);
    await prepare(url, how.stopped);
    const told = await fill(url, archive, verifiers, how);
    return { header, verifiedBy: verifiers.map(({ key }) => key.kid), ...told };
  } finally {
    await archive.close();
  }
}

const BEHIND_POOLER =
  'an import is one long transaction, and looks who else is connected: for this command set DATABASE_URL to PostgreSQL ' +
  'itself and leave out DATABASE_POOLER. Nothing was changed';

/** @throws {KeyringError} where a key is missing that something in the file needs */
async function refuseOtherKeyring(header: Header, jwks: readonly PrivateJwk[], now: Date): Promise<void> {
  const needed = header.needs_keys.map(({ until, ...key }) => ({
    ...key,
    until: until === null ? null : new Date(until),
  }));
  const missing = await missingKeys(needed, jwks, now);
  if (missing.length === 0) return;
  const which = missing.map(({ kid, kind }) => `${kid} (${kind})`).join(', ');
  throw new KeyringError(
    `the keyring is another than the file belongs to: it lacks ${which}. Put the keyring there that was used with this ` +
      'database. Nothing was changed',
  );
}

/** Brings an empty database to this version; one with rows, or with a gateway on it, is left as it is. */
async function prepare(url: string, stopped: AbortSignal): Promise<void> {
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
    await migrateUp(db);
  } finally {
    await db.close();
  }
}

async function fill(
  url: string,
  archive: Archive,
  verifiers: readonly Verifier[],
  { stopped, tell }: HowToImport,
): Promise<Trailer> {
  const db = await openDatabase(url, { limited: false });
  const progress = startProgress(tell);
  const client = await db.pool.connect();
  /** Whatever is waited for of PostgreSQL, which may take minutes, fails then. */
  const cutOff = (): void => void client.end();
  stopped.addEventListener('abort', cutOff);
  let isDone = false;
  try {
    refuseStopped(stopped);
    const told = await fillTables(client, archive, verifiers, progress).catch((error: unknown) => {
      refuseStopped(stopped);
      throw error;
    });
    refuseStopped(stopped);
    stopped.removeEventListener('abort', cutOff); // from here on a stop comes too late
    await client.query('commit');
    isDone = true;
    return told;
  } finally {
    progress.stop();
    client.release(!isDone); // then the connection ends, and all that was done on it is undone
    await db.close();
  }
}

/** Everything but the end of the transaction. */
async function fillTables(
  client: pg.ClientBase,
  archive: Archive,
  verifiers: readonly Verifier[],
  progress: Progress,
): Promise<Trailer> {
  await client.query('begin isolation level read committed');
  await client.query(SETTINGS);
  await on(client).run(noTransactionTimeoutSql, {});
  await lockTables(client);
  refuseOtherTarget(archive.header, await migrationsOf(on(client)));
  await refuseFull(client);
  await eachTable(client, (table) => `alter table ${table} disable trigger user`); // what they make is in the file
  const written = await writeTables(client, archive, progress);
  const told = await archive.line(trailer);
  const digest = archive.digest();
  const { hmac_sha256: macs } =
    archive.header.format_version === 1 ? { hmac_sha256: [] } : await archive.line(lastLine);
  await archive.end();
  if (!isSame(written, told)) throw damaged('its rows are not those that it says');
  refuseAltered(verifiers, digest, macs);
  const found = await readBack(client, progress);
  if (!isSame(found, told)) throw new ArchiveRefusal('the tables hold other rows than the file: nothing was imported');
  await eachTable(client, (table) => `alter table ${table} enable trigger user`);
  progress.at('statistics');
  await eachTable(client, (table) => `analyze ${table}`);
  return told;
}

async function eachTable(client: pg.ClientBase, sql: (table: string) => string): Promise<void> {
  for (const table of TABLE_NAMES) await client.query(sql(table));
}

/** What is written, as it comes from the file; the counts are PostgreSQL's. */
async function writeTables(client: pg.ClientBase, archive: Archive, progress: Progress): Promise<Trailer> {
  const hash = createHash('sha256');
  const columns = await columnsOf(on(client));
  const rows: Record<string, number> = {};
  for (const table of TABLE_NAMES) {
    progress.at(table);
    const head: TableHead = await archive.line(tableHead);
    const isExpected = head.table === table && head.columns.join() === columns.get(table)?.join();
    if (!isExpected) throw damaged('it has other tables');
    const stream = client.query(copyFrom(`copy ${table} (${listed(head.columns)}) from stdin`));
    async function* pieces(): AsyncGenerator<Buffer> {
      for await (const piece of archive.rows()) {
        hash.update(piece);
        progress.bytes(piece.length);
        yield piece;
      }
    }
    await pipeline(pieces(), stream).catch((error: unknown) => {
      throw isOfRows(error) ? damaged(`PostgreSQL refuses a row of ${table}, ${error.code}`) : error;
    });
    rows[table] = stream.rowCount;
  }
  return { rows, sha256: hash.digest('hex') };
}

/** SQLSTATE data_exception, integrity_constraint_violation and program_limit_exceeded; its own words may quote a row. */
function isOfRows(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(2[23]|54)/.test(error.code ?? '');
}

/** What the tables hold now, read as an export reads it. */
async function readBack(client: pg.ClientBase, progress: Progress): Promise<Trailer> {
  const { parts, result } = readTables(client);
  for await (const part of parts) {
    if (!Buffer.isBuffer(part)) progress.at(`${part.table}, read back`);
  }
  await client.query('select'); // its answer comes after the counts
  return result();
}

function isSame(one: Trailer, other: Trailer): boolean {
  return one.sha256 === other.sha256 && TABLE_NAMES.every((table) => one.rows[table] === other.rows[table]);
}
