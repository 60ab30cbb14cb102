/** Readiness reports that every login would be answered 503, and why; it recovers by itself. (Interface 10) */
import { migrations } from '../../migrations/index.js';
import { statement } from '../../src/db/statement.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';
import { lacksTable, withFault } from '../support/postgres/faults.js';
import { wholeTable, withLock } from '../support/postgres/locks.js';
import { asSuperuser } from '../support/postgres/postgres.js';
import { canMount, moveToSmallDisk } from '../support/postgres/small-disk.js';
import { hasRedis, startRedis } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log });
});
afterEach(async () => {
  await until('it is ready again', async () => (await word()) === 'ok');
});
afterAll(() => gateway.close());

/** What ready says of the database. */
const word = async (): Promise<unknown> => (await gateway.send('GET', '/health/ready')).json.checks.database;
const becomes = (expected: string) => until(`ready says ${expected}`, async () => (await word()) === expected);

/** Log lines about the state of the database, without the times */
const reported = (since = 0) =>
  captured
    .lines()
    .filter(({ msg }) => String(msg).startsWith('database is '))
    .slice(since)
    .map(({ level, msg, error }) => ({ level, msg, ...(error === undefined ? {} : { error }) }));

test('a check leaves nothing in the audit log', async () => {
  const events = () => gateway.rows('select id from audit_events order by id');
  const before = await events();
  for (let i = 0; i < 3; i += 1) expect(await word()).toBe('ok');
  expect(await events()).toEqual(before);
});

test.each(['users', 'refresh_tokens', 'audit_events', 'rate_limits'])(
  'a lock that is held on the whole of %s is reported, once',
  async (table) => {
    const before = reported().length;
    await withLock(gateway, wholeTable(table), async () => {
      for (let i = 0; i < 2; i += 1) await becomes('locked');
    });
    await becomes('ok');
    expect(reported(before)).toEqual([
      { level: 'error', msg: 'database is locked', error: { name: 'error', code: '55P03' } },
      { level: 'info', msg: 'database is ok again' },
    ]);
    const lasted = captured.lines().map(({ after_seconds }) => after_seconds);
    expect(lasted.filter((seconds) => seconds !== undefined).at(-1)).toBeGreaterThan(0);
  },
);

test('a lock that lets logins pass is not reported', async () => {
  await withLock(gateway, 'begin; lock table users in row exclusive mode', async () => {
    expect(await word()).toBe('ok');
  });
});

test('a database without connections to spare says so, and so does each login', async () => {
  const { name } = gateway.database;
  await asSuperuser(`alter database ${name} connection limit 0`);
  try {
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await becomes('out_of_connections');
    expect((await login(gateway, 'nobody@example.com')).status).toBe(503);
  } finally {
    await asSuperuser(`alter database ${name} connection limit -1`);
  }
});

test('a database that lacks a migration of this version is behind', async () => {
  const { name } = migrations.at(-1) ?? { name: '' };
  const [row] = await gateway.rows('delete from mikro_orm_migrations where name = $1 returning id, executed_at', [
    name,
  ]);
  expect(await word()).toBe('behind');
  await gateway.rows('insert into mikro_orm_migrations (id, name, executed_at) values ($1, $2, $3)', [
    row?.['id'],
    name,
    row?.['executed_at'],
  ]);
});

test('a database that was restored without its tables is behind', async () => {
  await withFault(gateway, lacksTable('mikro_orm_migrations'), async () => expect(await word()).toBe('behind'));
});

test('a table that is missing all the same is a failure of the database', async () => {
  await withFault(gateway, lacksTable('users'), async () => expect(await word()).toBe('failing'));
});

const listKeys = statement('list_keys', {}, {})`select 1 from api_keys`;

test('administration that is busy does not take logins from an instance', async () => {
  const before = reported().length;
  const { admin } = gateway.app.db;
  const listings: Array<Promise<unknown>> = [];
  await withLock(gateway, wholeTable('api_keys'), async (waiting) => {
    for (let i = 0; i < 4; i += 1) listings.push(admin.run(listKeys, {}).catch(() => undefined)); // all it has
    await until('all of them wait', async () => (await waiting()) === 4);
    expect(await word()).toBe('ok');
  });
  await Promise.all(listings);
  expect(reported(before)).toEqual([]);
});

const withDisk = canMount ? test : test.skip;

withDisk('a full disk is reported as long as logins are 503 because of it', async () => {
  const before = reported().length;
  await using disk = await moveToSmallDisk(gateway, 'audit_events');
  expect(await word()).toBe('ok');
  await disk.fill();
  await becomes('full');
  expect((await login(gateway, 'nobody@example.com')).status).toBe(503);
  await disk.empty();
  gateway.clock.advance(15); // so long a request is believed that has found it full
  await becomes('ok');
  expect((await login(gateway, 'nobody@example.com')).status).toBe(401);
  expect(reported(before)).toEqual([
    { level: 'error', msg: 'database is full', error: { name: 'error', code: '53100' } },
    { level: 'info', msg: 'database is ok again' },
  ]);
});

const isRequired = process.env['REQUIRE_REDIS'] === '1';
const withRedis = hasRedis || isRequired ? test : test.skip;

withRedis('Interface 14: a Redis that takes no writes is reported once, and so is its end', async () => {
  const log = captureLog();
  const redis = await startRedis();
  const instance = await startInstance(gateway.database, { env: { REDIS_URL: redis.url }, log: log.log });
  const says = async (state: string): Promise<void> => {
    const ready = async () => (await instance.send('GET', '/health/ready')).json.checks.redis;
    await until(`ready says ${state}`, async () => (await ready()) === state);
  };
  try {
    await says('ok');
    const before = log.lines().length;
    await redis.command('replicaof 127.0.0.1 1');
    await says('read_only');
    await redis.command('replicaof no one');
    await says('ok');
    const lines = log
      .lines()
      .slice(before)
      .map(({ msg }) => String(msg));
    // The connection is replaced, for another master may be at its address: a check may come just then.
    const states = lines.filter((msg) => msg.startsWith('redis is') && msg !== 'redis is unreachable');
    expect(states).toEqual(['redis is read_only', 'redis is ok again']);
  } finally {
    await instance.close();
    await redis.stop();
  }
});
