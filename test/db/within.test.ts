/** Work that a request no longer waits for does nothing later, when it could. (Interface 5) */
import type pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.js';
import { statement } from '../../src/db/statement.js';
import { createBudget, TimeSpent } from '../../src/platform/budget.js';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let db: Database;
let adminPool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  db = await openDatabase(database.url);
  adminPool = db.adminPool;
  await db.pool.query('create table done (what text)');
});
beforeEach(() => db.pool.query('truncate done'));
afterAll(async () => {
  await db.close();
  await database.drop();
});

const doSql = statement('do', { what: 'text' }, {})`insert into done values (:what)`;

/** Takes every connection of the pool while `work` goes on, and then waits until nobody wants one. */
async function withoutConnections(pool: pg.Pool, work: () => Promise<void>): Promise<void> {
  const taken: pg.PoolClient[] = [];
  while (taken.length < (pool.options.max ?? 0)) taken.push(await pool.connect());
  try {
    await work();
  } finally {
    for (const client of taken) client.release();
  }
  await until('connections are idle', () => pool.waitingCount === 0 && pool.idleCount === pool.totalCount);
}

const isSpent = (work: Promise<unknown>) => expect(work).rejects.toThrow(TimeSpent);
const soon = () => db.within(createBudget(100));
const done = async () => (await db.pool.query('select what from done')).rows;

test('a statement whose connection comes too late is not run', async () => {
  await withoutConnections(db.pool, () => isSpent(soon().run(doSql, { what: 'statement' })));
  await withoutConnections(db.pool, () => isSpent(soon().transaction((tx) => tx.run(doSql, { what: 'transaction' }))));
  await withoutConnections(adminPool, () => isSpent(soon().admin.run(doSql, { what: 'statement' })));
  expect(await done()).toEqual([]);
});

test('a change whose turn comes too late is not made, and keeps nobody waiting', async () => {
  const change = () => soon().change(({ db: tx }) => tx.run(doSql, { what: 'change' }));
  await withoutConnections(adminPool, () => isSpent(change()));
  await db.change(async () => {
    await isSpent(change());
  });
  await until('no connection is used', () => adminPool.idleCount === adminPool.totalCount);
  expect(await done()).toEqual([]);
  await db.change(({ db: tx }) => tx.run(doSql, { what: 'next' }));
  expect(await done()).toEqual([{ what: 'next' }]);
});

test('a change that has its turn is made, whatever is left', async () => {
  const budget = createBudget(2_000);
  await db.within(budget).change(async ({ db: tx, em }) => {
    budget.wait();
    await until('nothing is left', () => {
      try {
        budget.check();
        return false;
      } catch {
        return true;
      }
    });
    await tx.run(doSql, { what: 'slow' });
    expect(await em.execute(`select current_setting('statement_timeout') as own`)).toEqual([{ own: '20s' }]);
  });
  expect(await done()).toContainEqual({ what: 'slow' });
});
