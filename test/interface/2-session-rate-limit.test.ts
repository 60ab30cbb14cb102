/** SESSION_RATE_LIMIT: refresh and logout per client address, counted in memory before any store is asked. (Interface 2) */

import { logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { whileAway } from '../support/postgres/faults.js';

let gateway: TestGateway;
afterEach(() => gateway.close());

const start = async (env: Record<string, string>) => {
  gateway = await startGateway({ env: { TRUST_PROXY: '127.0.0.1', ...env } });
  return (await logIn(gateway, (await gateway.user()).email)).refreshToken;
};
const from = (address: string) => ({ 'x-forwarded-for': address });

test('Interface 2: unset: there is no limit', async () => {
  await start({});
  for (let i = 0; i < 200; i += 1) expect((await logout(gateway)).status).toBe(200);
});

test('Interface 2: one more than the limit is 429 with Retry-After: nothing is changed, the cookie neither', async () => {
  const token = await start({ SESSION_RATE_LIMIT: '3' });
  for (const route of [logout, refresh, logout]) await route(gateway); // both count together
  const before = await wholeState(gateway);
  for (const route of [logout, refresh]) {
    const answer = await route(gateway, token);
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual({ detail: 'Too many requests, try again later', reason: 'rate_limited' });
    expect(answer.headers['retry-after']).toBe('60');
    expect(cookieAction(answer)).toBe('unchanged');
  }
  expect(await wholeState(gateway)).toEqual(before);
  gateway.clock.advance(59);
  expect((await refresh(gateway, token)).headers['retry-after']).toBe('1');
  gateway.clock.advance(1);
  expect((await refresh(gateway, token)).status).toBe(200);
});

test('Interface 2: addresses count apart, IPv6 by /64, NAT64 as IPv4; a page of another site counts for nothing', async () => {
  await start({ SESSION_RATE_LIMIT: '1' });
  const status = async (address: string, more = {}) =>
    (await logout(gateway, undefined, { ...from(address), ...more })).status;
  expect(await status('192.0.2.1', { origin: 'https://evil.example.com' })).toBe(403);
  expect([await status('192.0.2.1'), await status('192.0.2.2'), await status('192.0.2.1')]).toEqual([200, 200, 429]);
  expect([await status('2001:db8::1'), await status('2001:db8::2')]).toEqual([200, 429]);
  expect([await status('64:ff9b::192.0.2.9'), await status('192.0.2.9')]).toEqual([200, 429]);
});

test('Interface 2: no store is asked', async () => {
  const token = await start({ SESSION_RATE_LIMIT: '1' });
  await refresh(gateway, token);
  const answer = await whileAway(gateway.database, () => refresh(gateway, token));
  expect(answer.status).toBe(429);
});
