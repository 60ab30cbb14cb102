/** docs/architecture.md, Batches: many calls are one statement, and each is answered as if it had been alone. */
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.js';
import { batched, statement } from '../../src/db/statement.js';
import { createBudget, TimeSpent } from '../../src/platform/budget.js';
import { through } from '../support/postgres/bridge.js';
import { startLosingProxy } from '../support/postgres/losing-proxy.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let db: Database;
let other: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query(`create table accounts (
    id integer primary key, points integer not null default 0 check (points <= 9), inside bigint
  )`);
  await other.query('create table claims (id integer primary key)');
  db = await openDatabase(database.url);
});
beforeEach(async () => {
  await other.query('truncate accounts');
  await other.query('insert into accounts select generate_series(1, 300)');
});
afterAll(async () => {
  await db.close();
  await other.end();
  await database.drop();
});

/** Adds points to an account. `inside` is the transaction, which calls have in common if they were sent together. */
const addOneSql = statement(
  'add',
  { id: 'integer', points: 'integer' },
  { id: 'integer', points: 'integer', inside: 'text', form: 'text' },
)`
  update accounts set points = points + :points, inside = txid_current() where id = :id
  returning id, points, inside::text, 'one' as form`;

const addSql = batched(addOneSql, { lanes: 2, identity: ({ id }) => id })`
  free as materialized (
    select n, asked.points as more, account.place from asked, lateral (
      select ctid as place from accounts where id = asked.id for no key update skip locked
    ) as account
  )
  update accounts set points = points + more, inside = txid_current() from free where accounts.ctid = place
  returning n, id, points, inside::text, 'many' as form`;

const add = (id: number, points = 1, on: Pick<Database, 'run'> = db) => on.run(addSql, { id, points });
const ids = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i);
const pointsOf = async (): Promise<Record<string, number>> => {
  const { rows } = await other.query('select id, points from accounts where points <> 0');
  return Object.fromEntries(rows.map(({ id, points }) => [id, points]));
};
/** How many calls each transaction served */
const sizes = (answers: Array<Array<{ inside: string }>>): number[] =>
  [...Map.groupBy(answers.flat(), ({ inside }) => inside).values()].map(({ length }) => length);

test('calls one after the other run the form of their own', async () => {
  for (const id of ids(5)) expect(await add(id)).toEqual([{ id, points: 1, inside: expect.any(String), form: 'one' }]);
});

test('calls that wait are sent together, at most 64 of them, and each has its own row', async () => {
  const answers = await Promise.all(ids(300).map((id) => add(id, id % 7)));
  expect(answers).toEqual(
    ids(300).map((id) => [{ id, points: id % 7, inside: expect.any(String), form: id <= 2 ? 'one' : 'many' }]),
  );
  const together = sizes(answers.slice(2));
  expect(Math.max(...together)).toBe(64);
  expect(together.length).toBeLessThan(10);
});

test('who has no row is asked for alone: none is lost, and none is counted twice', async () => {
  const answers = await Promise.all(ids(40, 281).map((id) => add(id)));
  expect(answers.map((rows) => rows.length)).toEqual([...ids(20).map(() => 1), ...ids(20).map(() => 0)]);
  expect(await pointsOf()).toEqual(Object.fromEntries(ids(20, 281).map((id) => [id, 1])));
});

const claimOneSql = statement('claim', { id: 'integer' }, { is_first: 'boolean' })`
  with claimed as (insert into claims values (:id) on conflict do nothing returning id)
  select exists (select from claimed) as is_first`;

const claimSql = batched(claimOneSql, { lanes: 2, identity: ({ id }) => id })`
  claimed as (insert into claims select id from asked on conflict do nothing returning id)
  select n, claimed.id is not null as is_first from asked left join claimed using (id)`;

test('two calls of one identity are never in one batch: only one of them is the first', async () => {
  const all = ids(60).flatMap((id) => [id, id, id]);
  const answers = await Promise.all(all.map((id) => db.run(claimSql, { id })));
  const firsts = all.filter((_, i) => answers[i]?.[0]?.is_first);
  expect(firsts.toSorted((a, b) => a - b)).toEqual(ids(60));
});

test('a call whose row is locked waits alone, and no other waits for it', async () => {
  await other.query('begin');
  await other.query('select from accounts where id in (1, 2, 30) for update');
  const locked = [1, 2, 30].map((id) => add(id)); // two hold a lane for a moment, the third is skipped
  await Promise.all(ids(20, 101).map((id) => add(id)));
  expect(Object.keys(await pointsOf())).toHaveLength(20);
  await other.query('commit');
  expect((await Promise.all(locked)).flat()).toEqual(
    [1, 2, 30].map((id) => expect.objectContaining({ id, points: 1 })),
  );
});

test('a call that breaks a constraint fails alone', async () => {
  const answers = await Promise.allSettled(ids(40).map((id) => add(id, id === 20 ? 10 : 1)));
  const failed = answers.filter(({ status }) => status === 'rejected');
  expect(failed).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: '23514' }) }]);
  expect(Object.keys(await pointsOf())).toHaveLength(39);
});

test('a table that was altered meanwhile fails nobody', async () => {
  const everybody = () => Promise.all(ids(200).map((id) => add(id, 0)));
  for (let times = 0; times < 8; times += 1) await everybody(); // so that connections have planned it
  await other.query('alter table accounts alter column points type smallint');
  expect((await everybody()).flat()).toHaveLength(200);
  await other.query('alter table accounts alter column points type integer');
  expect((await everybody()).flat()).toHaveLength(200);
});

test.each(['unsent', 'executed'] as const)(
  'a batch whose connection is cut when it is %s fails for all in it, and is not sent again',
  async (when) => {
    const socket = `${decodeURIComponent(new URL(database.url).hostname)}/.s.PGSQL.5432`;
    const proxy = await startLosingProxy(socket);
    const proxied = await openDatabase(through(proxy, database.url));
    try {
      const all = ids(60);
      const { result: answers } = await proxy.losing({ statement: /^add_batch$/, when }, () =>
        Promise.allSettled(all.map((id) => add(id, 1, proxied))),
      );
      const failed = all.filter((_, i) => answers[i]?.status === 'rejected');
      expect(failed.length).toBeGreaterThan(1);
      const done = await pointsOf();
      expect(new Set(Object.values(done))).toEqual(new Set([1]));
      expect(failed.filter((id) => done[id] === 1)).toEqual(when === 'executed' ? failed : []);
      expect(Object.keys(done)).toHaveLength(when === 'executed' ? 60 : 60 - failed.length);
    } finally {
      await proxied.close();
      await proxy.close();
    }
  },
);

test('a call whose time is over by the time of the connection is not sent, and does not keep the others', async () => {
  const taken: pg.PoolClient[] = [];
  while (taken.length < (db.pool.options.max ?? 0)) taken.push(await db.pool.connect());
  const late = ids(10).map((id) => add(id, 1, db.within(createBudget(50))));
  const patient = ids(10, 11).map((id) => add(id));
  const outcomes = await Promise.allSettled(late);
  expect(outcomes).toEqual(late.map(() => ({ status: 'rejected', reason: expect.any(TimeSpent) })));
  for (const client of taken) client.release();
  await Promise.all(patient);
  await until('connections are idle', () => db.pool.idleCount === db.pool.totalCount);
  expect(Object.keys(await pointsOf())).toEqual(ids(10, 11).map(String));
});

test('without a connection each call fails', async () => {
  const gone = await createDatabase('empty');
  const without = await openDatabase(gone.url);
  await gone.drop();
  const answers = await Promise.allSettled(ids(200).map((id) => add(id, 1, without)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  await without.close();
});
