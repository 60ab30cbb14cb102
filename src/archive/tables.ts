/** The tables of an archive, read as text that is the same on every server. (Interface 8 and 9) */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { unprepared } from '../db/run.js';
import { type Db, statement } from '../db/statement.js';
import type { TableHead, Trailer } from './format.js';

/**
 * Every table except the migrations, `ceremonies` and `gate_codes`, which live for minutes, and `webhook_attempts`, which
 * decide nothing; with the SQL of the primary key that orders its rows. UUIDs of version 7 are in time order, so an import
 * writes each page once.
 */
export const TABLES = {
  users: 'id',
  password_links: 'user_id',
  requested_links: 'user_id',
  email_changes: 'user_id',
  email_undos: 'id',
  factors: 'id',
  recovery_codes: 'user_id, code_sha256',
  known_devices: 'id',
  api_keys: 'key_id collate "C"',
  cron_keys: 'key_id collate "C"',
  sessions: 'family_id',
  refresh_tokens: 'jti',
  signature_nonces: 'key_id collate "C", nonce collate "C"',
  rate_limits: 'key collate "C"',
  audit_events: 'id',
  webhooks: 'id',
  outbox_cursors: 'id',
  outbox_events: 'cursor_id, event_id',
} as const;

export type Table = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as Table[];

/** SQL at the beginning of a transaction: no time limits, and text that does not depend on the server's settings. */
export const SETTINGS = [
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  "set local lock_timeout = '10s'", // a migration may hold the tables
  "set local datestyle = 'ISO, YMD'",
  "set local timezone = 'UTC'",
  "set local bytea_output = 'hex'",
].join('; ');

/** A limit that exists since PostgreSQL 17. */
export const noTransactionTimeoutSql = statement('no_transaction_timeout', {}, { timeout: 'text' })`
  select set_config(name, '0', true) as timeout from pg_settings where name = 'transaction_timeout'`;

/** Statements on one connection. */
export function on(client: pg.ClientBase): Db {
  return unprepared((query) => client.query(query));
}

const columnsSql = statement('columns_of_tables', { tables: 'text[]' }, { name: 'text', columns: 'text[]' })`
  select relname::text as name, array_agg(attname::text order by attname collate "C") as columns
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where attrelid = any(select to_regclass(asked) from unnest(:tables) as asked) and attnum > 0 and not attisdropped
  group by relname`;

/** The columns of each existing table, sorted by name, as in an archive. */
export async function columnsOf(db: Db): Promise<Map<string, string[]>> {
  const found = await db.run(columnsSql, { tables: TABLE_NAMES });
  return new Map(found.map(({ name, columns }) => [name, columns]));
}

/** Existing tables, in the order of an archive. A file of an older version lacks those that later ones have added. */
export async function tablesIn(db: Db): Promise<Table[]> {
  const existing = await columnsOf(db);
  return TABLE_NAMES.filter((table) => existing.has(table));
}

/** SQL of a list of columns. */
export function listed(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

export interface Reading {
  /** Each table's head, then its rows in pieces, which may end within a row */
  parts: AsyncGenerator<TableHead | Buffer>;
  /** Counts and checksum, after all was read and the connection has answered another statement. */
  result(): Trailer;
}

/** Reads every existing table on a connection that is inside a transaction with SETTINGS. */
export function readTables(client: pg.ClientBase): Reading {
  const hash = createHash('sha256');
  const streams: Array<[Table, ReturnType<typeof copyTo>]> = [];
  async function* read(): AsyncGenerator<TableHead | Buffer> {
    const existing = await columnsOf(on(client));
    for (const table of TABLE_NAMES) {
      const columns = existing.get(table);
      if (columns === undefined) continue; // of a later version
      const head = { table, columns };
      yield head;
      const rows = `select ${listed(head.columns)} from ${table} order by ${TABLES[table]}`;
      const stream = client.query(copyTo(`copy (${rows}) to stdout`));
      streams.push([table, stream]);
      for await (const piece of stream as AsyncIterable<Buffer>) {
        hash.update(piece);
        yield piece;
      }
    }
  }
  return {
    parts: read(),
    result: () => ({
      rows: Object.fromEntries(streams.map(([table, { rowCount }]) => [table, rowCount])),
      sha256: hash.digest('hex'),
    }),
  };
}
