/** What is counted at once is one statement, and each count is the one that rate-limiter-flexible gives by itself. (Spec 8) */
import fc from 'fast-check';
import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { type Counted, createRateLimiter, type RateLimiter } from '../../src/rate-limits/rate-limiter.js';
import { startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { gathering } from '../support/gateway/gathering.js';
import { through } from '../support/postgres/bridge.js';
import { startLosingProxy } from '../support/postgres/losing-proxy.js';

const WINDOW_SECONDS = 900;

const cleanUp = new AsyncDisposableStack();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  cleanUp.defer(gateway.close);
});
afterAll(() => cleanUp.disposeAsync());

const limiter = (name: string): RateLimiter =>
  createRateLimiter({ ...gateway.app, redis: undefined }, name, WINDOW_SECONDS);

const KEYS = ['a', 'b', 'c'];
/** At once, of each key: so many counts, or if below zero, so many taken back. Or the windows of some keys end. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ changes: fc.tuple(...KEYS.map(() => fc.integer({ min: -6, max: 12 }))) }) },
  { weight: 1, arbitrary: fc.record({ ended: fc.subarray(KEYS, { minLength: 1 }) }) },
);

test('Spec 8: in any order of counts, counts taken back and ends of windows, each is the count of the library', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      run += 1;
      const [ours, theirs] = [`ours${run}`, `theirs${run}`];
      const batching = limiter(ours);
      const library = new RateLimiterPostgres({
        ...{
          storeClient: gateway.app.db.pool,
          tableName: 'rate_limits',
          tableCreated: true,
          clearExpiredByTimeout: false,
        },
        ...{ keyPrefix: theirs, points: 2_147_483_647, duration: WINDOW_SECONDS },
      });
      for (const each of steps) {
        if ('ended' in each) {
          // The library reads the system's clock: the end of the window is moved instead.
          const keys = each.ended.flatMap((key) => [`${ours}:${key}`, `${theirs}:${key}`]);
          await gateway.rows('update rate_limits set expire = expire - $2 where key = any($1)', [
            keys,
            WINDOW_SECONDS * 1000,
          ]);
          continue;
        }
        const calls = KEYS.flatMap((key, i) => {
          const change = each.changes[i] ?? 0;
          return Array.from({ length: Math.abs(change) }, (_, nth) => ({ key, isCount: change > 0, nth }));
        }).toSorted((one, other) => one.nth - other.nth);
        const expected: string[] = [];
        for (const { key, isCount } of calls) {
          const { consumedPoints } = await (isCount ? library.consume(key) : library.reward(key));
          if (isCount) expected.push(`${key} ${consumedPoints}`);
        }
        const found: string[] = [];
        const make = () =>
          Promise.all(
            calls.map(async ({ key, isCount }) => {
              if (!isCount) return batching.giveBack(key);
              const { count, msLeft } = await batching.count(key);
              expect(msLeft > 0 && msLeft <= WINDOW_SECONDS * 1000).toBe(true);
              found.push(`${key} ${count}`);
            }),
          );
        await (calls.length > 1 ? gathering(gateway, 1, make) : make());
        expect(found.toSorted()).toEqual(expected.toSorted());
        const rows = await gateway.rows<{ key: string; points: number }>('select key, points from rate_limits');
        const pointsOf = (name: string) =>
          rows.flatMap(({ key, points }) => (key.startsWith(`${name}:`) ? [`${key.at(-1)} ${points}`] : [])).toSorted();
        expect(pointsOf(ours)).toEqual(pointsOf(theirs));
      }
    }),
    { numRuns: 15 },
  );
});

test('Spec 8: counts at once are one statement, and those of several limits and windows keep apart', async () => {
  const short = createRateLimiter({ ...gateway.app, redis: undefined }, 'short', 60);
  const long = limiter('long');
  const counted = await gathering(gateway, 1, () =>
    Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? short : long).count(String(i % 20)))),
  );
  for (const [i, { count, msLeft }] of counted.entries()) {
    const windowMs = i % 2 === 0 ? 60_000 : 900_000;
    expect(count + (counted[(i + 20) % 40]?.count ?? 0)).toBe(3); // 1 and 2, in any order
    expect(msLeft <= windowMs && msLeft > windowMs - 50_000).toBe(true);
  }
  const written = await gateway.rows(`select distinct xmin::text from rate_limits where key ~ '^(short|long):'`);
  expect(written.length).toBeLessThan(3); // the first was alone
});

test('a counter that another transaction holds keeps its own logins waiting, and no others', async () => {
  const held = limiter('held');
  await held.count('one');
  const holder = new pg.Client({ connectionString: gateway.database.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(`select from rate_limits where key = 'held:one' for update`);
    let waiting: Promise<Counted[]> | undefined;
    const counts = await gathering(gateway, 1, () => {
      const first = Array.from({ length: 3 }, (_, i) => held.count(`free ${i}`));
      waiting = Promise.all([held.count('one'), held.count('one')]);
      return Promise.all([...first, ...Array.from({ length: 3 }, (_, i) => held.count(`free ${i}`))]);
    });
    expect(counts.map(({ count }) => count).toSorted()).toEqual([1, 1, 1, 2, 2, 2]);
    await holder.query('commit');
    expect((await waiting)?.map(({ count }) => count).toSorted()).toEqual([2, 3]);
  } finally {
    await holder.end();
  }
});

test.each([
  ['unsent', 0],
  ['executed', 1],
] as const)(
  'Interface 5: logins whose one count is lost when it is %s are 503, and none is counted twice',
  async (when, times) => {
    const proxy = await startLosingProxy(`${decodeURIComponent(new URL(gateway.database.url).hostname)}/.s.PGSQL.5432`);
    const { clock, database } = gateway;
    const env = { TRUST_PROXY: '127.0.0.1/32,::1/128' };
    const instance = await startInstance({ ...database, url: through(proxy, database.url) }, { clock, env });
    try {
      const send = (_: unknown, i: number) =>
        instance.send('POST', '/auth/login', { headers: { 'x-forwarded-for': `192.0.2.${i}` }, body: {} });
      await gateway.rows('delete from rate_limits');
      const { result } = await proxy.losing({ statement: /^rate_limit_batch$/, when }, () =>
        gathering(instance as TestGateway, 1, () => Promise.all(Array.from({ length: 20 }, send))),
      );
      const lost = result.flatMap(({ status }, i) => (status === 503 ? [`login:192.0.2.${i}`] : []));
      expect(lost.length).toBeGreaterThan(1);
      expect(new Set(result.map(({ status }) => status))).toEqual(new Set([422, 503]));
      const counted = await gateway.rows('select points from rate_limits where key = any($1)', [lost]);
      expect(counted).toEqual(Array(times * lost.length).fill({ points: 1 }));
    } finally {
      await instance.close();
      await proxy.close();
    }
  },
);
