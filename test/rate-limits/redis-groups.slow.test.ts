/** REDIS_URL of Sentinel and of a cluster: limits are exact, and a server that goes is outlived. (Interface 2 and 10) */
import { isDeepStrictEqual } from 'node:util';
import { type Answer, type Instance, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';
import {
  type RedisCluster,
  type SentinelGroup,
  startRedisCluster,
  startSentinelGroup,
} from '../support/programs/redis-groups.js';
import { withRedis } from '../support/programs/with-redis.js';
import { until } from '../support/until.js';

const LIMIT = 7;

let gateway: TestGateway;
afterEach(() => gateway?.close());

async function start(url: string): Promise<void> {
  const env = { REDIS_URL: url, LOGIN_RATE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1/32' };
  gateway = await startGateway({ instances: 2, env });
  await until('each instance has connected', isReady);
}

const ready = (): Promise<Answer[]> => {
  gateway.clock.set(new Date());
  return Promise.all(gateway.instances.map((instance) => instance.send('GET', '/health/ready')));
};
const isReady = async (): Promise<boolean> => (await ready()).every(({ status }) => status === 200);

const attempt = (address: string, on: Instance = gateway): Promise<Answer> =>
  login(on, 'nobody@example.com', undefined, { 'x-forwarded-for': address });

/** How three times as many as may are answered, by the two instances at once. */
async function statuses(address: string): Promise<number[]> {
  const [one, two] = gateway.two();
  const answers = await Promise.all(Array.from({ length: LIMIT * 3 }, (_, i) => attempt(address, i % 2 ? one : two)));
  return answers.map(({ status }) => status).sort();
}
const EXACT = [...Array(LIMIT).fill(401), ...Array(LIMIT * 2).fill(429)];

withRedis('with Sentinel', () => {
  let group: SentinelGroup;
  beforeAll(async () => {
    group = await startSentinelGroup();
  });
  afterAll(() => group?.stop());

  test('Interface 14: a master of another name is not ready, and the log says what is wrong', async () => {
    const captured = captureLog();
    const url = group.url.replace('/limits/', '/others/');
    gateway = await startGateway({ env: { REDIS_URL: url }, log: captured.log });
    const logged = () => captured.lines().filter(({ msg }) => msg === 'no sentinel knows the master of REDIS_URL');
    await until('it is logged', () => logged().length > 0);
    expect((await ready())[0]?.json.checks.redis).toBe('unreachable');
    expect((await attempt('192.0.2.1')).status).toBe(503);
    expect(captured.text()).not.toContain('of/servers');
  });

  test('Spec 8: the limit is exact, in the database of the URL; a master that says nothing is 503 until there is another', async () => {
    await start(group.url);
    expect(await statuses('192.0.2.1')).toEqual(EXACT);
    const { master, replica } = await group.roles();
    expect(await group.keys(master)).toEqual(['login:192.0.2.1']);
    master.freeze();
    try {
      expect((await attempt('192.0.2.2')).status).toBe(503);
      await until('the replica has become the master', isReady);
      expect((await group.roles()).master).toBe(replica);
      expect((await attempt('192.0.2.2')).status).toBe(401);
    } finally {
      master.thaw();
    }
    expect(await statuses('192.0.2.3')).toEqual(EXACT);
    expect(await group.keys(replica)).toContain('login:192.0.2.3');
  });
});

withRedis('with a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster(3);
  });
  afterAll(() => cluster?.stop());

  /** Enough that each node counts some */
  const ADDRESSES = Array.from({ length: 9 }, (_, i) => `192.0.2.${i + 1}`);

  test('Spec 8: limits are exact on each node; while one of them is away its share is 503, and ready says so', async () => {
    await start(cluster.url);
    for (const address of ADDRESSES) expect(await statuses(address)).toEqual(EXACT);
    const keys = await Promise.all(cluster.nodes.map((node) => node.keys()));
    expect(keys.flat().sort()).toEqual(ADDRESSES.map((address) => `login:${address}`));
    const [node] = cluster.nodes;
    const address = String(keys[0]?.[0]).replace('login:', '');
    await node?.stop();
    try {
      await until('it is missed', async () => !(await isReady()));
      expect((await ready())[0]?.json.checks.redis).toBe('unreachable');
      expect((await attempt(address)).status).toBe(503);
    } finally {
      await node?.start();
    }
    await until('it is back', isReady);
    // While its connections settle, a count whose answer is lost is sent again: the limit is stricter for a moment, never looser.
    await until('its limit is exact', async () => {
      await node?.command('flushall');
      const answered = await statuses(address);
      expect(answered.filter((status) => status === 401).length).toBeLessThanOrEqual(LIMIT);
      return isDeepStrictEqual(answered, EXACT);
    });
  });

  test('Interface 10: a full node makes the gateway not ready', async () => {
    await start(cluster.url);
    for (const node of cluster.nodes) {
      await node.command('config set maxmemory 1');
      expect((await ready()).map(({ json }) => json.checks.redis)).toEqual(['full', 'full']);
      await node.command('config set maxmemory 0');
    }
    expect(await isReady()).toBe(true);
  });
});
