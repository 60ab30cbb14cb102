/** The refresh-token record. (Spec 2.6) */
import {
  claimsOf,
  logIn,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { login, refresh } from '../support/gateway/routes.js';
import { recordOf, recordsOf } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { REFRESH_TOKEN_TTL_SECONDS: '1000', TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => gateway.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test('Spec 2.6: jti is a UUID of its own for each token, and the jti claim of the refresh JWT', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const successor = refreshTokenOf(await refresh(gateway, refreshToken)) ?? '';
  const jtis = [refreshToken, successor].map((token) => claimsOf(token)['jti']);
  expect(jtis[0]).toMatch(UUID);
  expect(new Set(jtis).size).toBe(2);
  expect((await recordsOf(gateway, id)).map(({ jti }) => jti).sort()).toEqual([...jtis].sort());
});

test('Spec 2.6: user_id is the owner', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).user_id).toBe(id);
});

test('Spec 2.6: family_id is new at each login and the same after rotation', async () => {
  const { email } = await gateway.user();
  const family = async (token = ''): Promise<string> => (await recordOf(gateway, claimsOf(token)['jti'])).family_id;
  const one = await logIn(gateway, email);
  const two = await logIn(gateway, email);
  expect(await family(one.refreshToken)).toMatch(UUID);
  expect(await family(two.refreshToken)).not.toBe(await family(one.refreshToken));
  const second = refreshTokenOf(await refresh(gateway, one.refreshToken));
  const third = refreshTokenOf(await refresh(gateway, second));
  expect(await family(second)).toBe(await family(one.refreshToken));
  expect(await family(third)).toBe(await family(one.refreshToken));
});

test('Spec 2.6: revoked is false on creation, by login and by rotation', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).revoked).toBe(false);
  const successor = refreshTokenOf(await refresh(gateway, refreshToken)) ?? '';
  expect((await recordOf(gateway, claimsOf(successor)['jti'])).revoked).toBe(false);
});

test.each([0, 1, 511, 512, 513, 4000])('Spec 2.6: user_agent keeps at most 512 of %i characters', async (length) => {
  const { id, email } = await gateway.user();
  const userAgent = 'Agent/1.0 '.repeat(400).slice(0, length);
  const headers = length === 0 ? {} : { 'user-agent': userAgent };
  const stored = userAgent.slice(0, 512).trim();
  const refreshToken = refreshTokenOf(await login(gateway, email, PASSWORD, headers));
  await refresh(gateway, refreshToken, headers);
  const records = await recordsOf(gateway, id);
  expect(records.map(({ user_agent }) => user_agent.trim())).toEqual([stored, stored]);
  expect(records.every(({ user_agent }) => user_agent.length <= 512)).toBe(true);
});

test('Spec 2.6: user_agent and ip_address are those of the request that created the record', async () => {
  const { id, email } = await gateway.user();
  const from = (ip: string, agent: string) => ({ 'x-forwarded-for': ip, 'user-agent': agent });
  const refreshToken = refreshTokenOf(await login(gateway, email, PASSWORD, from('192.0.2.1', 'first')));
  await refresh(gateway, refreshToken, from('192.0.2.2', 'second'));
  const records = await recordsOf(gateway, id);
  expect(records.map(({ ip_address, user_agent }) => [ip_address, user_agent]).sort()).toEqual([
    ['192.0.2.1', 'first'],
    ['192.0.2.2', 'second'],
  ]);
});

test('Spec 2.6: expires_at is the expiry of the refresh token, counted anew at each rotation', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const expiry = async (token: string): Promise<void> => {
    const { exp, jti } = claimsOf(token);
    expect(exp).toBe(Math.floor(gateway.clock.now().getTime() / 1000) + 1000);
    expect((await recordOf(gateway, jti)).expires_at.getTime()).toBe(Number(exp) * 1000);
  };
  await expiry(refreshToken);
  gateway.clock.advance(300.5);
  await expiry(refreshTokenOf(await refresh(gateway, refreshToken)) ?? '');
});
