/** A login beyond the limit is refused from memory, whichever store counts: it is asked once a second. (Interface 5) */
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { whileAway } from '../support/postgres/faults.js';
import { type RedisServer, startRedis } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const ADDRESS = '192.0.2.1';

export function overLimitWith(store: 'PostgreSQL' | 'Redis'): void {
  let redis: RedisServer | undefined;
  let gateway: TestGateway;
  beforeAll(async () => {
    redis = store === 'Redis' ? await startRedis() : undefined;
    const env = { LOGIN_RATE_LIMIT: '5', TRUST_PROXY: '127.0.0.1', ...(redis && { REDIS_URL: redis.url }) };
    gateway = await startGateway({ env });
    await until('it is ready', isReady);
  });
  beforeEach(async () => {
    await clear();
    gateway.clock.advance(1_000);
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.stop();
  });

  async function isReady(): Promise<boolean> {
    gateway.clock.set(new Date());
    return (await gateway.send('GET', '/health/ready')).status === 200;
  }

  const clear = (): Promise<unknown> => redis?.empty() ?? gateway.rows('truncate rate_limits');

  const attempt = (address = ADDRESS): Promise<Answer> =>
    login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': address });

  async function statuses(times: number): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: times }, () => attempt()));
    return answers.map(({ status }) => status).sort();
  }

  /** Requests of the address that its store has counted */
  async function counted(): Promise<number> {
    if (redis !== undefined) return Number(await redis.command(`get login:${ADDRESS}`));
    const [row] = await gateway.rows<{ points: number }>('select points from rate_limits where key = $1', [
      `login:${ADDRESS}`,
    ]);
    return row?.points ?? 0;
  }

  /** The limit and one more, which the store refuses */
  async function goOver(): Promise<void> {
    for (const status of [401, 401, 401, 401, 401, 429]) expect((await attempt()).status).toBe(status);
  }

  test('Interface 5: of a flood the store is asked once a second', async () => {
    await goOver();
    expect(await statuses(20)).toEqual(Array(20).fill(429));
    expect(await counted()).toBe(6);
    for (const count of [7, 8]) {
      gateway.clock.advance(1);
      expect(await statuses(20)).toEqual(Array(20).fill(429));
      expect(await counted()).toBe(count);
    }
    expect((await attempt('192.0.2.2')).status).toBe(401);
  });

  test('Interface 5: the answer from memory says when the window ends', async () => {
    await goOver();
    const asked = await attempt();
    expect(asked.json).toEqual({ detail: 'Too many login attempts, try again later', reason: 'login_rate_limited' });
    const seconds = Number(asked.headers['retry-after']);
    expect(seconds).toBeGreaterThan(890);
    gateway.clock.advance(0.9);
    const { headers } = await attempt();
    expect(headers['ratelimit-policy']).toBe('"login";q=5;w=900');
    expect(headers['ratelimit']).toBe(`"login";r=0;t=${headers['retry-after']}`);
    expect(seconds - Number(headers['retry-after'])).toBeLessThanOrEqual(1);
  });

  test('Interface 9: a key that the store has cleared is let through a second later', async () => {
    await goOver();
    await clear();
    gateway.clock.advance(0.999);
    expect((await attempt()).status).toBe(429);
    gateway.clock.advance(0.001);
    for (const status of [401, 401]) expect((await attempt()).status).toBe(status);
    expect(await counted()).toBe(2);
  });

  test('Interface 5: a store that is away is 503, but for those who are remembered: 429', async () => {
    await goOver();
    const whileStoreIsAway = async (work: () => Promise<void>): Promise<void> => {
      if (redis === undefined) return whileAway(gateway.database, work);
      await redis.stop();
      try {
        await work();
      } finally {
        await redis.start();
      }
    };
    await whileStoreIsAway(async () => {
      expect((await attempt()).status).toBe(429);
      expect((await attempt('192.0.2.2')).status).toBe(503);
      gateway.clock.advance(1);
      expect([(await attempt()).status, (await attempt()).status]).toEqual([503, 429]);
    });
    await until('the store is back', isReady);
  });
}
