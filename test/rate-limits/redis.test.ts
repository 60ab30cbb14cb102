/** Rate limits in Redis, by REDIS_URL. Needs a `redis-server` on the PATH. (Interface 2) */
import { type Answer, type Instance, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey } from '../support/gateway/graphql.js';
import { login, logout, WRONG } from '../support/gateway/routes.js';
import { type RedisServer, startRedis } from '../support/programs/redis.js';
import { withRedis } from '../support/programs/with-redis.js';
import { until } from '../support/until.js';

withRedis('with one server', () => {
  let redis: RedisServer;
  let gateway: TestGateway;
  beforeAll(async () => {
    redis = await startRedis();
    const env = { REDIS_URL: redis.url, LOGIN_RATE_LIMIT: '7', TRUST_PROXY: '127.0.0.1' };
    gateway = await startGateway({ instances: 2, env });
  });
  /** Of each test its own: an address beyond the limit is remembered. */
  let from = { 'x-forwarded-for': '192.0.2.0' };
  let tests = 0;
  beforeEach(async () => {
    await redis.empty();
    tests += 1;
    from = { 'x-forwarded-for': `192.0.2.${tests}` };
    await until('each instance has connected', isReady);
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.stop();
  });

  const attempt = (on: Instance = gateway): Promise<Answer> => login(on, 'nobody@example.com', WRONG, from);

  const isReady = async (): Promise<boolean> => {
    const answers = await ready();
    return answers.every(({ status }) => status === 200);
  };

  /** Of each instance */
  const ready = (): Promise<Answer[]> => {
    gateway.clock.set(new Date());
    return Promise.all(gateway.instances.map((instance) => instance.send('GET', '/health/ready')));
  };

  /** What each instance says of Redis */
  const words = async (): Promise<unknown[]> => (await ready()).map(({ json }) => json.checks.redis);

  test('Spec 8: two instances admit exactly the limit together, and PostgreSQL counts nothing', async () => {
    const [one, two] = gateway.two();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => attempt(i % 2 === 0 ? one : two)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(401), ...Array(23).fill(429)]);
    const over = await attempt();
    expect(over.json).toEqual({ detail: 'Too many login attempts, try again later', reason: 'login_rate_limited' });
    expect(over.headers['ratelimit-policy']).toBe('"login";q=7;w=900');
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(450);
    expect(await gateway.rows('select 1 from rate_limits')).toEqual([]);
  });

  test('Interface 6: so they do for an API key, and while Redis is away its requests are 503', async () => {
    const { as } = await newApiKey(gateway, [], 5);
    const call = (on: Instance = gateway) => ask(on, as, '{ caller { callerType } }');
    const [one, two] = gateway.two();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => call(i % 2 === 0 ? one : two)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(7).fill(429)]);
    expect((await call()).headers['ratelimit-policy']).toBe('"key";q=5;w=60');
    expect(await gateway.rows('select 1 from rate_limits')).toEqual([]);
    await redis.stop();
    try {
      await until('Redis is missed', async () => !(await isReady()));
      expect((await call()).status).toBe(503);
    } finally {
      await redis.start();
    }
  });

  test('Interface 5: while Redis is away login is 503, never a pass and never 429; the rest goes on; ready says so', async () => {
    await redis.stop();
    try {
      await until('Redis is missed', async () => !(await isReady()));
      expect(await words()).toEqual(['unreachable', 'unreachable']);
      const answer = await attempt();
      expect([answer.status, answer.headers['retry-after'], answer.cookies]).toEqual([503, '5', []]);
      expect((await logout(gateway)).status).toBe(200);
      expect((await gateway.send('GET', '/health/live')).status).toBe(200);
    } finally {
      await redis.start();
    }
    await until('Redis is back', isReady);
    expect((await attempt()).status).toBe(401);
  });

  test.each([
    ['a replica', 'read_only', 'replicaof 127.0.0.1 1', 'replicaof no one'],
    ['forbidden to this user', 'forbidden', 'acl setuser default resetkeys', 'acl setuser default allkeys'],
    ['full', 'full', 'config set maxmemory 1', 'config set maxmemory 0'],
  ])(
    'Interface 10: a Redis that is %s takes no writes: not ready, and login is 503',
    async (_what, word, breaks, repairs) => {
      expect(await words()).toEqual(['ok', 'ok']);
      await redis.command(breaks);
      try {
        const [answer] = await ready();
        const checks = { database: 'ok', clock: 'ok', redis: word };
        expect([answer?.status, answer?.json]).toMatchObject([503, { status: 'unavailable', checks }]);
        expect((await attempt()).status).toBe(503);
      } finally {
        await redis.command(repairs);
      }
      await until('it takes writes again', isReady);
    },
  );

  test('Interface 10: a readiness check leaves nothing in Redis', async () => {
    await ready();
    expect(await redis.keys()).toEqual([]);
  });
});
