/** `gateway { loginAddresses }` and `clearLoginAddress`, whichever store counts. (Interface 11) */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, dataOf, newApiKey, newcomer } from '../support/gateway/graphql.js';
import { login } from '../support/gateway/routes.js';
import { type RedisServer, startRedis } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const LIMIT = 2;
/** More addresses than are read */
const MANY = 15_000;
/** Each with the groups that count its logins, as the specification has them */
const GROUPS: Record<string, [own: string, network?: string]> = {
  '192.0.2.1': ['192.0.2.1'],
  '192.0.2.2': ['192.0.2.2'],
  '2001:db8::1': ['2001:db8::/64', '2001:db8::/48'],
  '2001:db8:0:2::1': ['2001:db8:0:2::/64', '2001:db8::/48'],
};
/** What is cleared by an address as it is written */
const CLEARED: Record<string, string[]> = {
  ...(GROUPS as Record<string, string[]>),
  '2001:db8::/64': ['2001:db8::/64', '2001:db8::/48'],
  '2001:db8::/48': ['2001:db8::/48'],
  nonsense: [],
};
const ADDRESSES = `query ($first: Int) { gateway { loginAddresses(first: $first) {
  totalCount { count precision } limitedCount { count precision } nodes { ipAddress attempts limit isLimited endsAt }
} } }`;
const CLEAR = 'mutation ($ipAddress: String!) { clearLoginAddress(input: { ipAddress: $ipAddress }) { clearedCount } }';

export function loginAddressesWith(store: 'PostgreSQL' | 'Redis'): void {
  let redis: RedisServer | undefined;
  let gateway: TestGateway;
  let as: As;
  beforeAll(async () => {
    redis = store === 'Redis' ? await startRedis() : undefined;
    const env = { LOGIN_RATE_LIMIT: String(LIMIT), TRUST_PROXY: '127.0.0.1', ...(redis && { REDIS_URL: redis.url }) };
    gateway = await startGateway({ env });
    await until('it is ready', async () => (await gateway.send('GET', '/health/ready')).status === 200);
    ({ as } = await newApiKey(gateway, ['gateway:read', 'audit:read', 'users:write'], 100_000));
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.stop();
  });

  const listed = async (first?: number) => (await dataOf(gateway, as, ADDRESSES, { first })).gateway.loginAddresses;
  const cleared = () =>
    gateway.rows<{ user_id: string | null; metadata: object }>(
      `select user_id, metadata from audit_events where event_type = 'login_counts_cleared' order by written_at`,
    );
  const forgetAll = async (): Promise<void> => {
    await gateway.rows(`delete from rate_limits where key like 'login:%'`);
    await gateway.rows(`delete from audit_events where event_type = 'login_counts_cleared'`);
    await redis?.empty();
  };

  test('Interface 11: after every order of logins and clears, the addresses are as they were counted', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ login: fc.constantFrom(...Object.keys(GROUPS)) }) },
      { weight: 1, arbitrary: fc.record({ clear: fc.constantFrom(...Object.keys(CLEARED)) }) },
    );
    const run = async (steps: Array<{ login: string } | { clear: string }>): Promise<void> => {
      await forgetAll();
      const counts = new Map<string, number>();
      const limitOf = (group: string) => (group.endsWith('/48') ? 8 * LIMIT : LIMIT);
      const events: object[] = [];
      for (const each of steps) {
        gateway.clock.advance(2); // what it remembers of refusals is over
        if ('login' in each) {
          const isRefused = (GROUPS[each.login] ?? []).some((group) => {
            counts.set(group ?? '', (counts.get(group ?? '') ?? 0) + 1);
            return (counts.get(group ?? '') ?? 0) > limitOf(group ?? ''); // the network is not counted then
          });
          const { status } = await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': each.login });
          expect(status).toBe(isRefused ? 429 : 401);
        } else {
          const existed = (CLEARED[each.clear] ?? []).filter((group) => counts.delete(group)).length;
          const data = await dataOf(gateway, as, CLEAR, { ipAddress: each.clear });
          expect(data).toEqual({ clearLoginAddress: { clearedCount: existed } });
          if (existed > 0) events.push({ ip_address: each.clear, cleared: existed, actor: expect.anything() });
        }
      }
      const expected = [...counts].map(([ipAddress, attempts]) => {
        const limit = limitOf(ipAddress);
        return { ipAddress, attempts, limit, isLimited: attempts >= limit, endsAt: expect.any(String) };
      });
      const { totalCount, limitedCount, nodes } = await listed();
      expect(nodes).toEqual(expect.arrayContaining(expected));
      expect(totalCount).toEqual({ count: expected.length, precision: 'exact' });
      expect(limitedCount).toEqual({ count: expected.filter(({ isLimited }) => isLimited).length, precision: 'exact' });
      const rank = ({ isLimited, attempts }: { isLimited: boolean; attempts: number }) =>
        (isLimited ? 1_000 : 0) + attempts;
      expect(nodes.map(rank)).toEqual(expected.map(rank).sort((a, b) => b - a));
      expect((await cleared()).map(({ metadata }) => metadata)).toEqual(events);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 16 }), run), { seed: 1, numRuns: 30 });
  });

  test('Interface 11: of more than 10,000 addresses the count says so, and a page has at most 100', async () => {
    await forgetAll();
    if (redis === undefined) {
      await gateway.rows(
        `insert into rate_limits (key, points, expire)
         select 'login:10.0.' || i / 256 || '.' || i % 256, i, $1 from generate_series(1, ${MANY}) as i`,
        [Date.now() + 900_000],
      );
    } else {
      const client = new Redis(redis.url);
      const pipeline = client.pipeline();
      for (let i = 1; i <= MANY; i += 1) pipeline.set(`login:10.0.${Math.floor(i / 256)}.${i % 256}`, i, 'EX', 900);
      await pipeline.exec();
      await redis.command('config resetstat');
      client.disconnect();
    }
    const { totalCount, nodes } = await listed(100);
    expect(totalCount).toEqual({ count: 10_000, precision: 'at_least' });
    expect(nodes).toHaveLength(100);
    if (redis !== undefined) {
      const [, reads] = /^cmdstat_get:calls=(\d+)/m.exec(String(await redis.command('info commandstats'))) ?? [];
      expect(Number(reads)).toBeLessThan(MANY - 1_000); // the scan ends early
    }
    for (const first of [0, 101, -1])
      expect(await ask(gateway, as, ADDRESSES, { first })).toMatchObject({ reason: 'invalid_page' });
    await forgetAll();
  });

  if (store === 'Redis') {
    test('Interface 11: while Redis is away the counts are 503, others are read, and nothing is logged', async () => {
      const { as: admin } = await newcomer(gateway, 'admin');
      await redis?.stop();
      const ipAddress = '192.0.2.1';
      expect(await ask(gateway, admin, CLEAR, { ipAddress })).toMatchObject({ status: 503, reason: 'unavailable' });
      expect(await ask(gateway, admin, ADDRESSES)).toMatchObject({ status: 503, reason: 'unavailable' });
      expect(await dataOf(gateway, admin, '{ gateway { keys { purpose } } }')).toMatchObject({ gateway: {} });
      expect(await cleared()).toEqual([]);
      await redis?.start();
      await until('it is back', async () => (await ask(gateway, admin, ADDRESSES)).status === 200);
    });
  }
}
