/** A connection whose statement came too late is never used again. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { Connection } from '../../src/db/connection.js';
import { createDatabase, type TestDatabase } from '../support/postgres.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());
afterEach(() => pool.end());

/** A pool with a time limit for the client alone, so that the server goes on. */
function openPool(queryTimeoutMs: number): Kysely<unknown> {
  pool = new pg.Pool({ connectionString: database.url, max: 1, query_timeout: queryTimeoutMs, Client: Connection });
  pool.on('error', () => undefined);
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

const backend = async (db: Kysely<unknown>): Promise<number> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid ?? 0;

test('a statement by itself that times out ends its connection', async () => {
  const db = openPool(300);
  const pid = await backend(db);
  await expect(sql`select pg_sleep(2)`.execute(db)).rejects.toThrow('Query read timeout');
  await until('another connection serves', async () => (await backend(db).catch(() => pid)) !== pid);
});

test('a transaction in which a statement times out leaves nobody inside it', async () => {
  const db = openPool(300);
  const pid = await backend(db);
  const lost = db.transaction().execute(async (tx) => {
    await sql`create table lost (n int)`.execute(tx);
    await sql`select pg_sleep(2)`.execute(tx);
  });
  await expect(lost).rejects.toThrow();
  await until('another connection serves', async () => (await backend(db).catch(() => pid)) !== pid);
  const { rows } = await sql<{ state: string | null }>`
    select to_regclass('lost')::text as state`.execute(db);
  expect(rows).toEqual([{ state: null }]);
  await sql`create table kept (n int)`.execute(db);
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  const found = await other.query(`select to_regclass('kept')::text as name`).finally(() => other.end());
  expect(found.rows).toEqual([{ name: 'kept' }]); // committed
});
