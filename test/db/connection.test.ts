/** Which connections are used again: none that came too late, has met a fault of its server or is old. */
import { mock } from 'node:test';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { Connection, renewConnections } from '../../src/db/connection.js';
import { openDatabase } from '../../src/db/database.js';
import { type Bridge, bridgeTo, through } from '../support/postgres/bridge.js';
import { asSuperuser, createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let pool: pg.Pool | undefined;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  await pool?.end();
  pool = undefined;
});

function openPool(options: pg.PoolConfig): Kysely<unknown> {
  pool = new pg.Pool({ connectionString: database.url, max: 1, Client: Connection, ...options });
  pool.on('error', () => undefined);
  renewConnections(pool);
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

const backend = async (db: Kysely<unknown>): Promise<number> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid ?? 0;

// A time limit only for the client: the server continues.
test('a statement by itself that times out ends its connection', async () => {
  const db = openPool({ query_timeout: 300 });
  const pid = await backend(db);
  await expect(sql`select pg_sleep(2)`.execute(db)).rejects.toThrow('Query read timeout');
  await until('another connection serves', async () => (await backend(db).catch(() => pid)) !== pid);
});

test('a transaction in which a statement times out leaves nobody inside it', async () => {
  const db = openPool({ query_timeout: 300 });
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

describe.each(['by itself', 'in a transaction'])('a statement %s that fails', (where) => {
  test.each([
    ...['08006', '25006', '53100', '53200', '57P01', '57P02', '57P03', 'XX000', 'XX001'].map((code) => [
      code,
      'is not',
    ]),
    ...['22012', '23505', '40001', '40P01', '42P01', '55P03', '57014'].map((code) => [code, 'is']),
  ])('with %s: its connection %s used again, and the error stays what it was', async (code, used) => {
    const db = openPool({});
    const pid = await backend(db);
    const fails = CompiledQuery.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`);
    const failed =
      where === 'by itself' ? db.executeQuery(fails) : db.transaction().execute((tx) => tx.executeQuery(fails));
    await expect(failed).rejects.toMatchObject({ code });
    expect((await backend(db)) === pid).toBe(used === 'is');
    expect(await backend(db)).toBe(await backend(db));
  });
});

test('a closed database has no connections left', async () => {
  const db = await openDatabase(database.url);
  const pools: pg.Pool[] = [db.pool, db.adminPool];
  await db.admin.read(sql`select 1`);
  await db.close();
  expect(pools.map(({ ended }) => ended)).toEqual([true, true]);
});

test('statements of the routes find rows by key and are not compiled; those of administration are as PostgreSQL would have them', async () => {
  const db = await openDatabase(database.url);
  const settingsOf = async (pool: pg.Pool) => {
    const names = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'];
    const { rows } = await pool.query('select distinct setting from pg_settings where name = any($1)', [names]);
    return rows;
  };
  expect(await settingsOf(db.pool)).toEqual([{ setting: 'off' }]);
  expect(await settingsOf(db.adminPool)).toEqual([{ setting: 'on' }]);
  await db.close();
});

test('connections that a network swallows cost one request each', async () => {
  const bridge = await bridgeTo(database.url);
  try {
    const count = 20;
    const db = openPool({ connectionString: through(bridge, database.url), max: count, query_timeout: 5_000 });
    const ask = (by: (i: number) => Promise<unknown>): Promise<Array<PromiseSettledResult<unknown>>> =>
      Promise.allSettled(Array.from({ length: count }, (_, i) => by(i)));
    const work = (i: number): Promise<unknown> => {
      if (i % 3 === 0) return sql`select pg_sleep(0.1)`.execute(db);
      if (i % 3 === 1) return db.transaction().execute((tx) => sql`select pg_sleep(0.1)`.execute(tx));
      return pool?.query('select pg_sleep(0.1)') ?? Promise.reject();
    };
    const outcomes = async (): Promise<string[]> => (await ask(work)).map(({ status }) => status);
    await outcomes();
    expect(pool?.totalCount).toBe(count);
    bridge.freeze();
    expect(await outcomes()).toEqual(Array(count).fill('rejected'));
    expect(await outcomes()).toEqual(Array(count).fill('fulfilled'));
  } finally {
    await pool?.end();
    pool = undefined;
    await bridge.close();
  }
});

test('a connection that nobody answers any more is closed within its pool', async () => {
  const bridge: Bridge = await bridgeTo(database.url);
  try {
    await backend(openPool({ connectionString: through(bridge, database.url) }));
    const [client] = [await pool?.connect()];
    const closed = new Promise<void>((resolve) => client?.once('end', resolve));
    bridge.freeze();
    client?.release(true); // the server cannot hear the goodbye
    await closed;
  } finally {
    await bridge.close();
  }
});

describe('lifetime', () => {
  // Only timers stand still: sockets go on.
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  test.each(['routes', 'administration'])('a connection of %s lives four to five minutes', async (of) => {
    const db = await openDatabase(database.url);
    try {
      const pool: pg.Pool = of === 'routes' ? db.pool : db.adminPool;
      const held = await pool.connect();
      mock.timers.tick(239_000);
      held.release();
      const again = await pool.connect();
      expect(again).toBe(held);
      mock.timers.tick(61_000);
      again.release();
      const other = await pool.connect();
      expect(other).not.toBe(held);
      other.release();
    } finally {
      await db.close();
    }
  });

  test('those that are made together do not end together', async () => {
    const count = 24;
    openPool({ max: count });
    const clients = await Promise.all(Array.from({ length: count }, () => pool?.connect()));
    mock.timers.tick(270_000);
    const ended = pool?.expiredCount;
    for (const client of clients) client?.release();
    expect([0, count]).not.toContain(ended);
  });
});

test('times are read aright, whatever style and zone the database has', async () => {
  const odd = await createDatabase();
  try {
    await asSuperuser(`alter database ${odd.name} set datestyle = 'SQL, DMY'`);
    await asSuperuser(`alter database ${odd.name} set timezone = 'Asia/Kolkata'`);
    pool = new pg.Pool({ connectionString: odd.url, max: 1, Client: Connection });
    // The database may go before the server has read the goodbye.
    pool.on('connect', (client) => client.on('error', () => undefined));
    const { rows } = await pool.query(
      `select '2026-05-11T01:02:03.456Z'::timestamptz as at, '2026-11-05'::timestamptz as day`,
    );
    expect(rows).toEqual([{ at: new Date('2026-05-11T01:02:03.456Z'), day: new Date('2026-11-04T18:30:00Z') }]);
    await pool.end();
    pool = undefined;
  } finally {
    await odd.drop();
  }
});
