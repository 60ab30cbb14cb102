/** The address that is counted and recorded, by TRUST_PROXY, and IPv6 by /64. (Interface 2 and 5) */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { login } from '../support/gateway/routes.js';

let gateway: TestGateway;
afterEach(() => gateway.close());

/** The address that a failed login is recorded under. */
async function recorded(forwarded: string | string[] | undefined): Promise<string | undefined> {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  await login(gateway, 'nobody@example.com', 'x', headers);
  const [row] = await gateway.rows<{ ip_address: string }>(
    'select ip_address from audit_events order by created_at desc, id desc limit 1',
  );
  gateway.clock.advance(1);
  return row?.ip_address;
}

test('Interface 5: no proxy is trusted by default: the X-Forwarded-For of a direct peer is ignored, also for the limit', async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '2' } });
  expect(await recorded('192.0.2.1')).toBe('127.0.0.1');
  expect(await recorded(['192.0.2.2', '192.0.2.3'])).toBe('127.0.0.1');
  const third = await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': '192.0.2.4' });
  expect(third.status).toBe(429);
});

test('Interface 5: a peer outside TRUST_PROXY is not believed', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '10.0.0.0/8,::1/128' } });
  expect(await recorded('192.0.2.1')).toBe('127.0.0.1');
});

test('Interface 5: behind trusted proxies the header is walked from the right to the first stranger', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8' } });
  const walks: Array<[string | undefined, string]> = [
    [undefined, '127.0.0.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.66, 192.0.2.1', '192.0.2.1'], // what the client itself has claimed is left of it
    ['192.0.2.1, 10.1.1.1', '192.0.2.1'],
    ['192.0.2.66, 192.0.2.1, 10.1.1.1, 10.2.2.2', '192.0.2.1'],
    ['10.1.1.1, 10.2.2.2', '10.1.1.1'], // all of them trusted: the farthest
    ['192.0.2.1,192.0.2.2', '192.0.2.2'],
  ];
  for (const [forwarded, address] of walks)
    expect([forwarded, await recorded(forwarded)]).toEqual([forwarded, address]);
  expect(await recorded(['192.0.2.9', '192.0.2.1'])).toBe('192.0.2.1'); // two header lines are one list
});

test('Interface 5: what is no address ends the walk at the proxy that reported it', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1,10.0.0.0/8' } });
  const notPorts = [
    '192.0.2.1:',
    '192.0.2.1:http',
    '192.0.2.1:1:2',
    '[192.0.2.1]:80',
    '[2001:db8::1',
    '[2001:db8::1]80',
    '[]:80',
  ];
  for (const junk of [
    'unknown',
    '_hidden',
    ...notPorts,
    '1.2.3:80',
    '1.2.3',
    '<script>',
    '999.1.1.1',
    '999.1.1.1:80',
  ]) {
    expect([junk, await recorded(junk)]).toEqual([junk, '127.0.0.1']);
    expect([junk, await recorded(`${junk}, 10.1.1.1`)]).toEqual([junk, '10.1.1.1']);
    expect([junk, await recorded(`${junk}, 192.0.2.1`)]).toEqual([junk, '192.0.2.1']);
  }
});

test('Interface 5: the port of an address counts nowhere: one client, one limit, one address in audit and log', async () => {
  const captured = captureLog();
  const env = { TRUST_PROXY: '127.0.0.1,10.0.0.0/8', LOGIN_RATE_LIMIT: '3' };
  gateway = await startGateway({ env, log: captured.log });
  expect(await recorded('192.0.2.1:50000')).toBe('192.0.2.1');
  expect(await recorded('192.0.2.66:1, 192.0.2.1:50001, 10.1.1.1:443')).toBe('192.0.2.1');
  expect(await recorded('[::ffff:192.0.2.1]:50002')).toBe('192.0.2.1');
  const fourth = await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': '192.0.2.1:50003' });
  expect(fourth.status).toBe(429);
  const logged = captured.lines().filter(({ msg }) => msg === 'request');
  expect(logged.map(({ client_ip }) => client_ip)).toEqual(Array(4).fill('192.0.2.1'));

  expect(await recorded('[2001:DB8:0:1::1]:50000')).toBe('2001:db8:0:1::1');
  expect(await recorded('[2001:db8:0:1::2]')).toBe('2001:db8:0:1::2');
  expect(await recorded('[2001:db8:0:1::3%1]:50000, 10.1.1.1')).toBe('2001:db8:0:1::3');
  const sameNetwork = { 'x-forwarded-for': '[2001:db8:0:1::4]:50001' };
  expect((await login(gateway, 'nobody@example.com', 'x', sameNetwork)).status).toBe(429);
});

test('Interface 5: a mapped IPv4 address is the IPv4 address', async () => {
  gateway = await startGateway({
    env: { TRUST_PROXY: '127.0.0.1', LOGIN_RATE_LIMIT: '2' },
  });
  expect(await recorded('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(await recorded('::ffff:c000:0201')).toBe('192.0.2.1');
  expect((await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(429);
});

test('Interface 5: IPv6 clients count by /64, and are recorded whole', async () => {
  gateway = await startGateway({
    env: { TRUST_PROXY: '127.0.0.1', LOGIN_RATE_LIMIT: '2' },
  });
  expect(await recorded('2001:DB8:0:1::1')).toBe('2001:db8:0:1::1');
  expect(await recorded('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe('2001:db8:0:1:ffff:ffff:ffff:ffff');
  const from = async (address: string): Promise<number> =>
    (await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': address })).status;
  expect(await from('2001:db8:0:1:a:b:c:d')).toBe(429);
  expect(await from('2001:db8:0:2::1')).toBe(401);
  expect(await from('192.0.2.1')).toBe(401);
  expect(await from('192.0.2.2')).toBe(401); // IPv4 whole
});

test('Interface 5: an address of NAT64 (RFC 6052) counts as the IPv4 address in it, and is recorded whole', async () => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', LOGIN_RATE_LIMIT: '2' } });
  expect(await recorded('64:ff9b::192.0.2.1')).toBe('64:ff9b::c000:201');
  expect(await recorded('192.0.2.1')).toBe('192.0.2.1');
  const from = async (address: string): Promise<number> =>
    (await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': address })).status;
  expect(await from('64:ff9b::c000:201')).toBe(429);
  expect(await from('64:ff9b::192.0.2.2')).toBe(401);
  const keys = await gateway.rows('select key from rate_limits order by key');
  expect(keys).toEqual([{ key: 'login:192.0.2.1' }, { key: 'login:192.0.2.2' }]);
});

test('Interface 5: the zone of a link-local address is cut off, whatever its length, also for the limit', async () => {
  gateway = await startGateway({
    env: { TRUST_PROXY: '127.0.0.1,fe80::/10', LOGIN_RATE_LIMIT: '3' },
  });
  expect(await recorded('fe80::1%br-0a1b2c')).toBe('fe80::1');
  expect(await recorded(`fe80::1%${'z'.repeat(300)}`)).toBe('fe80::1');
  expect(await recorded('192.0.2.1, fe80::1%eth0')).toBe('192.0.2.1'); // a proxy's address may have one too
  expect(await recorded('2001:db8::1%1, fe80::1%eth0')).toBe('2001:db8::1');
  expect(await recorded('192.0.2.1%eth0')).toBe('127.0.0.1'); // no address
  const group = await login(gateway, 'nobody@example.com', 'x', { 'x-forwarded-for': 'fe80::2%eth1' });
  expect(group.headers['ratelimit']).toMatch(/r=0;/);
  const health = await gateway.send('GET', '/health/live', { headers: { 'x-forwarded-for': 'fe80::1%br-0a1b2c' } });
  expect(health.status).toBe(200);
});

describe('Interface 2: a proxy that is not trusted', () => {
  test.each([{}, { TRUST_PROXY: '10.0.0.0/8' }])('is warned about once, by its address alone: %j', async (env) => {
    const captured = captureLog();
    gateway = await startGateway({ env: env as Record<string, string>, log: captured.log });
    const warnings = () => captured.lines().filter(({ level }) => level === 'warn');
    await recorded(undefined);
    expect(warnings()).toEqual([]);
    for (const forwarded of ['192.0.2.123', '<script>', '192.0.2.123, 10.1.1.1']) await recorded(forwarded);
    expect(warnings()).toEqual([
      expect.objectContaining({ peer_ip: '127.0.0.1', msg: expect.stringContaining('set TRUST_PROXY') }),
    ]);
    expect(captured.text()).not.toMatch(/192\.0\.2\.123|script/);
  });

  test('is not one that is trusted', async () => {
    const captured = captureLog();
    gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1' }, log: captured.log });
    for (const forwarded of ['192.0.2.123', '<script>']) await recorded(forwarded);
    expect(captured.text()).not.toContain('TRUST_PROXY');
  });
});
