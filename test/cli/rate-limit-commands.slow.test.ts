/** Interface 9: `rate-limit …`, wherever the limits are counted. */
import { messagesOf, type Ran, runHere } from '../support/gateway/cli.js';
import { runningClock } from '../support/gateway/clock.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newApiKey } from '../support/gateway/graphql.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { startRedis } from '../support/programs/redis.js';
import { startRedisCluster, startSentinelGroup } from '../support/programs/redis-groups.js';
import { withRedis } from '../support/programs/with-redis.js';
import { until } from '../support/until.js';

interface Store {
  url: string;
  stop(): Promise<void>;
}

const LIMIT = 3;
/** Enough that each node of a cluster counts some */
const ADDRESSES = [...Array.from({ length: 9 }, (_, i) => `192.0.2.${i + 1}`), '2001:db8::1'];

let gateway: TestGateway;
let store: Store | undefined;
afterEach(async () => {
  await gateway?.close();
  await store?.stop();
  store = undefined;
});

/** On a clock that goes on: a command does not return before the gateway has forgotten what it remembers. */
async function start(startStore?: () => Promise<Store>): Promise<void> {
  store = await startStore?.();
  const redis = store && { REDIS_URL: store.url };
  const env = { LOGIN_RATE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1/32', ...redis };
  gateway = await startGateway({ env, clock: runningClock(), passwords: 'argon2' });
  await until('it is ready', async () => (await gateway.send('GET', '/health/ready')).status === 200);
}

const cli = (...args: string[]): Promise<Ran> =>
  runHere(args, () => ({
    ...gateway.config,
    databaseUrl: gateway.database.url,
    port: Number(new URL(gateway.url).port),
  }));

async function json(...args: string[]): Promise<unknown> {
  const ran = await cli(...args, '--json');
  if (ran.code !== 0) throw new Error(ran.stderr);
  return JSON.parse(ran.stdout);
}

const attempt = async (address: string, email = 'nobody@example.com'): Promise<number> =>
  (await login(gateway, email, WRONG, { 'x-forwarded-for': address })).status;

async function listsAndClears(): Promise<void> {
  const { as, keyId } = await newApiKey(gateway, [], 60);
  const callKey = async () => (await ask(gateway, as, '{ caller { callerType } }')).data;
  expect(await callKey()).toEqual({ caller: { callerType: 'api_key' } }); // counted, and no business of these commands
  for (const address of ADDRESSES) expect(await attempt(address)).toBe(401);
  const [first = '', second = ''] = ADDRESSES;
  const more = [await attempt(first), await attempt(first), await attempt(first), await attempt(second)];
  expect(more).toEqual([401, 401, 429, 401]);

  const listed = (group: string, attempts: number, isLimited = false) => ({
    ip_address: group,
    attempts,
    limit: group.endsWith('/48') ? 8 * LIMIT : LIMIT,
    is_limited: isLimited,
    ends_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  const others = [...ADDRESSES.slice(2, -1), '2001:db8::/48', '2001:db8::/64'].map((group) => listed(group, 1));
  expect(await json('rate-limit', 'list')).toEqual([listed(first, 4, true), listed(second, 2), ...others]);
  const table = await cli('rate-limit', 'list');
  expect(table.stdout).toMatch(/^ip_address +attempts +limit +is_limited +ends_at\n192\.0\.2\.1 +4 +3 +true /);
  expect(table.stdout).not.toContain(keyId);

  expect(await json('rate-limit', 'clear', '--ip', first)).toEqual({ cleared: 1 });
  expect(await attempt(first)).toBe(401); // whoever was refused a moment ago
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8::77')).toEqual({ cleared: 2 }); // its /64 and its /48
  for (const address of ['2001:db8::1', '2001:db8:0:2::1']) expect(await attempt(address)).toBe(401);
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8::/64')).toEqual({ cleared: 2 });
  expect(await attempt('2001:db8:0:2::1')).toBe(401);
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8::/48')).toEqual({ cleared: 1 });
  expect(await json('rate-limit', 'clear', '--ip', '2001:db8:0:2::/64')).toEqual({ cleared: 1 });
  const again = await cli('rate-limit', 'clear', '--ip', '2001:db8::/64');
  expect([again.code, again.stdout]).toEqual([0, 'cleared: 0\n']);
  expect(again.stderr).toMatch(/\nno counts to clear\n$/);
  expect(await json('rate-limit', 'clear', '--all')).toEqual({ cleared: ADDRESSES.length - 1 });
  const empty = await cli('rate-limit', 'list');
  expect([empty.code, empty.stdout]).toEqual([0, '']);
  expect(await callKey()).toEqual({ caller: { callerType: 'api_key' } });
}

test('Interface 9: in PostgreSQL addresses are listed, most attempts first, and forgotten one by one or all at once', async () => {
  await start();
  await listsAndClears();
  const rows = await gateway.rows<{ key: string; points: number }>('select key, points from rate_limits');
  expect(rows).toEqual([{ key: expect.stringMatching(/^api_key:/), points: 2 }]);
});

test('Interface 9: windows that are over are neither listed nor counted', async () => {
  await start();
  await attempt('192.0.2.1');
  await attempt('192.0.2.2');
  await gateway.rows(`update rate_limits set expire = 1 where key = 'login:192.0.2.1'`);
  expect(await json('rate-limit', 'list')).toMatchObject([{ ip_address: '192.0.2.2' }]);
  expect(await json('rate-limit', 'clear', '--all')).toEqual({ cleared: 1 });
});

test.each([[''], ['--ip 192.0.2.1 --all'], ['--ip nonsense'], ['--ip 192.0.2.0/24'], ['--ip 192.0.2.1/48'], ['--ip']])(
  'Interface 9: rate-limit clear %s exits with 2, and clears nothing',
  async (words) => {
    await start();
    await attempt('192.0.2.1');
    const { code, stdout, stderr } = await cli('rate-limit', 'clear', ...words.split(' ').filter(Boolean));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('usage: auth-gateway rate-limit clear ');
    expect(await json('rate-limit', 'list')).toHaveLength(1);
  },
);

withRedis('with Redis', () => {
  test.each<[string, () => Promise<Store>, RegExp]>([
    ['one server', startRedis, /\nrate limits: Redis, single at 127\.0\.0\.1:\d+\n/],
    ['Sentinel', startSentinelGroup, /\nrate limits: Redis, sentinel at (127\.0\.0\.1:\d+,?){3}\n/],
    ['a cluster', () => startRedisCluster(3), /\nrate limits: Redis, cluster at (127\.0\.0\.1:\d+,?){3}\n/],
  ])('Interface 9: of %s the same is listed and forgotten, and it is named', async (_kind, startStore, named) => {
    await start(startStore);
    await listsAndClears();
    expect((await cli('rate-limit', 'list', '--json')).stderr).toMatch(named);
  });

  test('Interface 9: while it is away the commands say so with exit code 1, and a user can be unlocked', async () => {
    await start(startRedis);
    const { email } = await gateway.user();
    await store?.stop();
    const isRefused = async (words: string): Promise<void> => {
      const ran = await cli(...words.split(' '));
      expect([words, ran.code, ran.stdout]).toEqual([words, 1, '']);
      expect(messagesOf(ran)).toMatch(
        /\nthe rate limits cannot be read: Redis at 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\); start Redis, or /,
      );
    };
    const refused = ['rate-limit list', 'rate-limit clear --all', 'rate-limit clear --ip 192.0.2.1'];
    await Promise.all(refused.map(isRefused)); // each waits for Redis
    const unlocked = await cli('user', 'unlock', email, '--json');
    expect([unlocked.code, JSON.parse(unlocked.stdout).email]).toEqual([0, email]);
    expect(unlocked.stderr).toMatch(/\nlimited addresses are unknown: Redis is unreachable\n$/);
    const explained = await cli('user', 'explain', email);
    expect([explained.code, explained.stdout]).toEqual([
      0,
      expect.stringContaining('addresses are unknown: Redis is unreachable'),
    ]);
    expect(await json('user', 'explain', email)).toMatchObject({ reasons: [], limited_addresses: null });
  });
});
