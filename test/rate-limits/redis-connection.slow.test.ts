/** A connection that has died is replaced, and the log says what an operator should know. (Interface 10 and 14) */
import {
  type Answer,
  type Instance,
  startGateway,
  startInstance,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { type CapturedLog, captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';
import { type SilentProxy, startSilentProxy } from '../support/postgres/silent-proxy.js';
import { freePort, type RedisServer, startRedis } from '../support/programs/redis.js';
import { withRedis } from '../support/programs/with-redis.js';
import { until } from '../support/until.js';

withRedis('the connection to Redis', () => {
  let redis: RedisServer;
  let proxy: SilentProxy;
  let gateway: TestGateway;
  beforeAll(async () => {
    redis = await startRedis();
    proxy = await startSilentProxy(redis.port);
    gateway = await startGateway({ env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` } });
    await until('it is connected', isReady);
  });
  afterAll(async () => {
    await gateway?.close();
    await proxy?.close();
    await redis?.stop();
  });

  const ready = (): Promise<Answer> => {
    gateway.clock.set(new Date());
    return gateway.send('GET', '/health/ready');
  };
  const isReady = async (): Promise<boolean> => (await ready()).status === 200;
  const attempt = async (): Promise<number> => (await login(gateway, 'nobody@example.com')).status;

  test('Interface 10: one that goes silent is 503, never a pass, and another takes its place without a restart', async () => {
    expect(await attempt()).toBe(401);
    const before = proxy.connections();
    proxy.silence();
    expect(await attempt()).toBe(503);
    await until('there is another connection', isReady);
    expect(proxy.connections()).toBeGreaterThan(before);
    expect(await attempt()).toBe(401);
  });

  test('Interface 10: a master that becomes a replica is left for the server that its address leads to now', async () => {
    const promoted = await startRedis();
    try {
      expect(await attempt()).toBe(401);
      proxy.leadTo(promoted.port);
      await redis.command(`replicaof 127.0.0.1 ${promoted.port}`);
      expect(await attempt()).toBe(503);
      await until('the new master is found', isReady);
      expect(await attempt()).toBe(401);
      expect(await promoted.keys()).toEqual(['login:127.0.0.1']);
    } finally {
      proxy.leadTo(redis.port);
      await redis.command('replicaof no one');
      await promoted.stop();
    }
    await until('the old one is found', isReady);
  });

  /** Another instance with a log of its own, ready unless Redis is away. */
  async function withInstance(url: string, act: (instance: Instance, captured: CapturedLog) => Promise<void>) {
    const captured = captureLog();
    const instance = await startInstance(gateway.database, { env: { REDIS_URL: url }, log: captured.log });
    try {
      await act(instance, captured);
    } finally {
      await instance.close();
    }
  }
  const warnings = ({ lines }: CapturedLog) => lines().filter(({ level }) => level === 'warn');

  test('Interface 14: while it is away one line of a minute says so, without the address or the password', async () => {
    const port = await freePort();
    await withInstance(`redis://:secret@localhost:${port}`, async ({ app }, captured) => {
      let tries = 0;
      app.redis?.on('reconnecting', () => {
        tries += 1;
      });
      await until('it has tried again', () => tries >= 3);
      expect(warnings(captured)).toMatchObject([
        {
          msg: 'redis connection failed',
          servers: `localhost:${port}`,
          error: { code: 'ECONNREFUSED' },
          remedy: expect.stringMatching(/^start Redis, or correct REDIS_URL/),
        },
      ]);
      expect(captured.text()).not.toMatch(/secret|"at":/);
    });
  });

  test('Interface 14: a password that is not taken is named by the word of Redis, and is not in the log', async () => {
    await withInstance(`redis://u:secret@127.0.0.1:${redis.port}`, async (_instance, captured) => {
      await until('it is logged', () => warnings(captured).length > 0);
      expect(warnings(captured)).toMatchObject([{ error: { name: 'ReplyError', code: 'WRONGPASS' } }]);
      expect(captured.text()).not.toContain('secret');
    });
  });

  test.each([
    ['100mb', 'allkeys-lru', 1],
    ['100mb', 'volatile-ttl', 1],
    ['100mb', 'noeviction', 0],
    ['0', 'allkeys-lru', 0],
  ])(
    'Interface 10: maxmemory %s and maxmemory-policy %s: %i warnings that counters may be lost',
    async (memory, policy, count) => {
      await redis.command(`config set maxmemory ${memory} maxmemory-policy ${policy}`);
      try {
        await withInstance(redis.url, async (instance, captured) => {
          await until('it is connected', async () => (await instance.send('GET', '/health/ready')).status === 200);
          const logged = warnings(captured).filter(({ msg }) => /noeviction/.test(String(msg)));
          expect(logged).toHaveLength(count);
        });
      } finally {
        await redis.command('config set maxmemory 0 maxmemory-policy noeviction');
      }
    },
  );
});
