/** The commands `rate-limit …` if Redis counts. (Interface 9) */
import { messagesOf } from '../support/gateway/cli.js';
import { startRedis } from '../support/programs/redis.js';
import { startRedisCluster, startSentinelGroup } from '../support/programs/redis-groups.js';
import { withRedis } from '../support/programs/with-redis.js';
import { cli, gateway, json, listsAndClears, type Store, start, stop, store } from './limited.js';

afterEach(stop);

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
    await start(startRedis, 'argon2'); // whose hashes a command can explain
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
