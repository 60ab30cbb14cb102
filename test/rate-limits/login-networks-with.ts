/** The /48 around an IPv6 /64 has eight times its login limit. (Interface 5) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, logout } from '../support/gateway/routes.js';
import { type RedisServer, startRedis } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const LIMIT = 2;

export function networksWith(store: 'PostgreSQL' | 'Redis'): void {
  let redis: RedisServer | undefined;
  let gateway: TestGateway;
  beforeAll(async () => {
    redis = store === 'Redis' ? await startRedis() : undefined;
    const limits = { LOGIN_RATE_LIMIT: String(LIMIT), SESSION_RATE_LIMIT: '1' };
    const env = { ...limits, TRUST_PROXY: '127.0.0.1', ...(redis && { REDIS_URL: redis.url }) };
    gateway = await startGateway({ env });
    await until('it is ready', async () => {
      gateway.clock.set(new Date());
      return (await gateway.send('GET', '/health/ready')).status === 200;
    });
  });
  beforeEach(async () => {
    await (redis?.empty() ?? gateway.rows('truncate rate_limits'));
    gateway.clock.advance(1_000); // what is remembered has ended
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.stop();
  });

  /** @returns the status, and what the answer says is left */
  async function attempt(address: string): Promise<[number, string | undefined]> {
    const { status, headers } = await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': address });
    return [status, /^"login";r=(\d+);/.exec(String(headers['ratelimit']))?.[1]];
  }

  /** Of one key, such as `2001:db8::/48` */
  async function counted(key: string): Promise<number> {
    if (redis !== undefined) return Number(await redis.command(`get login:${key}`));
    const [row] = await gateway.rows<{ points: number }>('select points from rate_limits where key = $1', [
      `login:${key}`,
    ]);
    return row?.points ?? 0;
  }

  async function keys(): Promise<string[]> {
    const found = (await redis?.keys()) ?? (await gateway.rows<{ key: string }>('select key from rate_limits'));
    return found.map((one) => (typeof one === 'string' ? one : one.key)).sort();
  }

  /** As many logins as the /48 may have, each /64 within its own limit */
  async function useUp(network: string): Promise<void> {
    for (let i = 1; i <= 8; i += 1) {
      for (let n = 0; n < LIMIT; n += 1) expect((await attempt(`${network}:${i}::1`))[0]).toBe(401);
    }
  }

  test('Interface 5: a /48 has eight times the login limit, whichever of its /64 are in use', async () => {
    await useUp('2001:db8:1');
    expect(await attempt('2001:db8:1:9::1')).toEqual([429, '0']);
    expect(await attempt('2001:db8:1:ffff::1')).toEqual([429, '0']);
    expect(await attempt('2001:db8:2:9::1')).toEqual([401, '1']);
    expect(await attempt('192.0.2.1')).toEqual([401, '1']);
  });

  test('Interface 5: a request that the /64 refuses is not counted for the /48', async () => {
    for (let n = 0; n < 20; n += 1) {
      await attempt('2001:db8:1:1::1');
      gateway.clock.advance(1); // so that the store is asked each time
    }
    expect([await counted('2001:db8:1:1::/64'), await counted('2001:db8:1::/48')]).toEqual([20, 2]);
    expect(await attempt('2001:db8:1:2::1')).toEqual([401, '1']);
  });

  test('Interface 5: an answer reports the limit that is nearer to its end', async () => {
    for (let i = 1; i <= 7; i += 1)
      for (const left of ['1', '0']) expect((await attempt(`2001:db8:1:${i}::1`))[1]).toBe(left);
    expect(await attempt('2001:db8:1:8::1')).toEqual([401, '1']); // 1 of 2, and 1 of 16
    expect(await attempt('2001:db8:1:9::1')).toEqual([401, '0']); // 1 of 2, and 0 of 16
    expect(await attempt('2001:db8:1:a::1')).toEqual([429, '0']);
  });

  test('Interface 5: beyond the limit of the /48 its store is asked once a second, and no /64 is counted', async () => {
    await useUp('2001:db8:1');
    expect((await attempt('2001:db8:1:9::1'))[0]).toBe(429);
    const before = await keys();
    for (const i of ['a', 'b', 'c']) expect((await attempt(`2001:db8:1:${i}::1`))[0]).toBe(429);
    expect(await keys()).toEqual(before);
    expect(await counted('2001:db8:1::/48')).toBe(17);
    gateway.clock.advance(1);
    for (const i of ['a', 'b', 'c']) expect((await attempt(`2001:db8:1:${i}::1`))[0]).toBe(429);
    expect(await counted('2001:db8:1::/48')).toBe(18);
  });

  test('Interface 9: a /48 that was forgotten is let through a second later, also while one of its /64 is refused', async () => {
    await useUp('2001:db8:1');
    expect((await attempt('2001:db8:1:9::1'))[0]).toBe(429);
    if (redis === undefined) await gateway.rows(`delete from rate_limits where key = 'login:2001:db8:1::/48'`);
    else await redis.command('del login:2001:db8:1::/48');
    gateway.clock.advance(1);
    expect((await attempt('2001:db8:1:1::1'))[0]).toBe(429); // by its /64, so that nothing is learned of the /48
    expect((await attempt('2001:db8:1:a::1'))[0]).toBe(401);
  });

  test('Interface 5: IPv4 has no such network, even inside IPv6; refresh and logout count only by /64', async () => {
    for (const address of ['192.0.2.1', '::ffff:192.0.2.2', '64:ff9b::192.0.2.3', '2001:db8::1'])
      await attempt(address);
    const counted = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::/48', '2001:db8::/64'];
    expect(await keys()).toEqual(counted.map((key) => `login:${key}`));
    for (let i = 1; i <= 9; i += 1) {
      const from = { 'x-forwarded-for': `2001:db8:1:${i}::1` };
      expect((await logout(gateway, undefined, from)).status).toBe(200);
    }
  });
}
