/** The table of limits, and the answers of the login rate limit. (Spec 8 and Interface 5) */

import { type Answer, claimsOf, logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { recordOf, userRow, wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';

let gateway: TestGateway;
afterEach(() => gateway.close());

const OVER = { detail: 'Too many login attempts, try again later', reason: 'login_rate_limited' };
const from = (ip: string) => ({ 'x-forwarded-for': ip });

const statuses = (answers: Answer[]): number[] => answers.map(({ status }) => status);

/** The limits as they come, but for the log. */
const asConfiguredByDefault = { LOGIN_RATE_LIMIT: '', TRUST_PROXY: '127.0.0.1' };

test('Spec 8: login rate: 5 requests per 15 minutes per client IP, the sixth is 429 and does nothing', async () => {
  gateway = await startGateway({ env: asConfiguredByDefault });
  const { email } = await gateway.user();
  const answers: Answer[] = [];
  for (let i = 0; i < 5; i += 1) answers.push(await login(gateway, email, i % 2 === 0 ? PASSWORD : WRONG));
  expect(statuses(answers)).toEqual([200, 401, 200, 401, 200]);
  const before = await wholeState(gateway);
  const over = await login(gateway, email);
  expect(over.status).toBe(429);
  expect(over.json).toEqual(OVER);
  expect(cookieAction(over)).toBe('unchanged');
  expect(await wholeState(gateway)).toEqual(before);
  expect((await login(gateway, email, PASSWORD, from('192.0.2.1'))).status).toBe(200); // another client
});

test('Spec 8: login rate: every request counts, valid or not, and for any account', async () => {
  gateway = await startGateway({ env: asConfiguredByDefault });
  const send = (options: object) => gateway.send('POST', '/auth/login', options);
  const answers = [
    await send({ body: {} }),
    await send({ headers: { 'content-type': 'application/json' }, body: 'no json' }),
    await send({ headers: { 'content-type': 'text/plain' }, body: 'text' }),
    await send({ body: { email: 'x', password: '' } }),
    await login(gateway, 'nobody@example.com'),
    await login(gateway, 'somebody@example.com'),
  ];
  expect(statuses(answers)).toEqual([422, 400, 415, 422, 401, 429]);
});

test('Spec 8: login rate: a page of another site cannot use up the logins of its visitor', async () => {
  gateway = await startGateway({ env: asConfiguredByDefault });
  for (const headers of [{ origin: 'https://evil.example.com' }, { 'sec-fetch-site': 'cross-site' }]) {
    for (let i = 0; i < 6; i += 1) {
      const answer = await login(gateway, 'nobody@example.com', WRONG, headers);
      expect([answer.status, answer.headers['ratelimit']]).toEqual([403, undefined]);
    }
  }
  expect(await gateway.rows('select key from rate_limits')).toEqual([]); // the store is not even asked
  expect((await login(gateway, 'nobody@example.com')).headers['ratelimit']).toMatch(/^"login";r=4;/);
});

test('Spec 8: login rate: refresh, logout and other methods do not count', async () => {
  gateway = await startGateway({ env: asConfiguredByDefault });
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  for (let i = 0; i < 6; i += 1) await refresh(gateway, refreshToken);
  for (let i = 0; i < 6; i += 1) await logout(gateway);
  for (let i = 0; i < 6; i += 1) expect((await gateway.send('GET', '/auth/login')).status).toBe(405);
  expect((await login(gateway, 'nobody@example.com')).headers['ratelimit']).toMatch(/^"login";r=3;/);
});

test('Spec 8: login rate: the headers say the policy, what is left and when to come back', async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '2', LOGIN_RATE_WINDOW_SECONDS: '600' } });
  const answers = [];
  for (let i = 0; i < 3; i += 1) answers.push(await login(gateway, 'nobody@example.com'));
  expect(statuses(answers)).toEqual([401, 401, 429]);
  for (const { headers } of answers) expect(headers['ratelimit-policy']).toBe('"login";q=2;w=600');
  const left = answers.map(({ headers }) => /^"login";r=(\d+);t=(\d+)$/.exec(String(headers['ratelimit'])) ?? []);
  expect(left.map(([, remaining]) => remaining)).toEqual(['1', '0', '0']);
  for (const [, , seconds] of left) {
    expect(Number(seconds)).toBeGreaterThan(300);
    expect(Number(seconds)).toBeLessThanOrEqual(600);
  }
  expect(answers.map(({ headers }) => headers['retry-after'])).toEqual([undefined, undefined, left[2]?.[2]]);
});

test('Spec 8: login rate: a window ends for good, and the next begins with the next request', async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '2' } });
  const attempt = async (): Promise<number> => (await login(gateway, 'nobody@example.com')).status;
  expect([await attempt(), await attempt(), await attempt(), await attempt()]).toEqual([401, 401, 429, 429]);
  // The limiter reads the system's clock: the end of the window is moved instead.
  const windows = await gateway.rows('update rate_limits set expire = expire - 900001 returning key');
  expect(windows).toHaveLength(1);
  gateway.clock.advance(900);
  expect([await attempt(), await attempt(), await attempt()]).toEqual([401, 401, 429]);
});

test('Spec 8: login rate: two instances admit exactly the limit together', async () => {
  gateway = await startGateway({ env: { LOGIN_RATE_LIMIT: '7' }, instances: 2 });
  const [one, two] = gateway.two();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => login(i % 2 === 0 ? one : two, 'nobody@example.com')),
  );
  expect(statuses(answers).sort()).toEqual([...Array(7).fill(401), ...Array(33).fill(429)]);
});

test('Spec 8: access-token lifetime: 15 minutes, reported in seconds; refresh-token lifetime: JWT, record and cookie agree', async () => {
  gateway = await startGateway({ env: { REFRESH_TOKEN_TTL_SECONDS: '4321' } });
  const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const access = claimsOf(answer.json.access_token);
  expect(answer.json.expires_in).toBe(900);
  expect(Number(access['exp']) - Number(access['iat'])).toBe(900);
  const { exp, iat, jti } = claimsOf(refreshToken);
  expect(Number(exp) - Number(iat)).toBe(4321);
  expect((await recordOf(gateway, jti)).expires_at).toEqual(new Date(Number(exp) * 1000));
  expect(answer.cookies[0]).toContain('Max-Age=4321;');
});

test.each([1, 4])('Spec 8: lockout threshold and duration are configured: %i failures', async (most) => {
  gateway = await startGateway({ env: { LOGIN_MAX_FAILURES: String(most), LOGIN_LOCKOUT_SECONDS: '77' } });
  const { id, email } = await gateway.user();
  const answers = [];
  for (let i = 0; i < most + 1; i += 1) answers.push(await login(gateway, email, WRONG));
  expect(statuses(answers)).toEqual([...Array(most).fill(401), 429]);
  const lockedUntil = new Date(gateway.clock.now().getTime() + 77_000);
  expect(await userRow(gateway, id)).toMatchObject({ failed_login_attempts: most, locked_until: lockedUntil });
});

test('Spec 8: by default 5 failures lock for 15 minutes', async () => {
  gateway = await startGateway();
  const { id, email } = await gateway.user();
  for (let i = 0; i < 4; i += 1) await login(gateway, email, WRONG);
  expect((await userRow(gateway, id)).locked_until).toBeNull();
  await login(gateway, email, WRONG);
  expect((await userRow(gateway, id)).locked_until).toEqual(new Date(gateway.clock.now().getTime() + 900_000));
});
