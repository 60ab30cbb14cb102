/** CONTRACT 5: cookies as browsers send them, cross-site calls and CORS. */

import { forgeRefreshToken } from '../support/forge.js';
import { type Answer, claimsOf, logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway.js';
import { recordOf, wholeState } from '../support/rows.js';

const OWN = 'https://auth.example.com';
const APP = 'https://app.example.com';
const EVIL = 'https://evil.example.net';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { PUBLIC_URL: OWN, CORS_ORIGINS: `${APP}, http://localhost:5173` },
  });
});
afterAll(() => gateway.close());

type Headers = Record<string, string>;

/** A call of each route that would succeed but for these headers. */
async function callAll(headers: Headers): Promise<Answer[]> {
  const { email } = await gateway.user();
  const one = await logIn(gateway, email);
  const two = await logIn(gateway, email);
  const before = await wholeState(gateway);
  const cookie = (token: string) => ({ headers: { ...headers, cookie: `refresh_token=${token}` } });
  const answers = [
    await gateway.send('POST', '/auth/login', { headers, body: { email, password: PASSWORD } }),
    await gateway.send('POST', '/auth/refresh', cookie(one.refreshToken)),
    await gateway.send('POST', '/auth/logout', cookie(two.refreshToken)),
  ];
  if (answers[0]?.status === 403) expect(await wholeState(gateway)).toEqual(before);
  return answers;
}

test.each<Headers>([
  { origin: EVIL },
  { origin: 'null' },
  { origin: 'http://auth.example.com' },
  { origin: 'https://auth.example.com:8443' },
  { origin: 'https://auth.example.com.evil.net' },
  { origin: `${APP}.evil.net` },
  { origin: 'https://sub.app.example.com' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: OWN, 'sec-fetch-site': 'cross-site' },
  { origin: EVIL, 'sec-fetch-site': 'same-origin' },
  { origin: EVIL, 'content-type': 'text/plain' },
])('5 a browser that calls from another site is refused with 403, and nothing happens: %j', async (headers) => {
  for (const answer of await callAll(headers)) {
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ detail: 'Calls from this origin are not allowed' });
    expect(answer.cookies).toEqual([]);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
});

test.each<Headers>([
  {},
  { origin: OWN },
  { origin: OWN, 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: APP, 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
])('5 the own origin, one of CORS_ORIGINS and callers that are no browser may call: %j', async (headers) => {
  for (const answer of await callAll(headers)) expect(answer.status).toBe(200);
});

test('5 CORS: an origin of the list may read the answer with credentials', async () => {
  for (const answer of await callAll({ origin: APP })) {
    expect(answer.headers['access-control-allow-origin']).toBe(APP);
    expect(answer.headers['access-control-allow-credentials']).toBe('true');
    expect(answer.headers['vary']).toContain('Origin');
    const exposed = String(answer.headers['access-control-expose-headers']).split(',');
    expect(exposed).toEqual(['RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id']);
  }
});

const preflight = (on: TestGateway, origin: string): Promise<Answer> =>
  on.send('OPTIONS', '/auth/login', {
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
  });

test('5 CORS: the preflight is answered for the list and for nobody else', async () => {
  const allowed = await preflight(gateway, APP);
  expect(allowed.status).toBe(204);
  expect(allowed.headers['access-control-allow-origin']).toBe(APP);
  expect(allowed.headers['access-control-allow-methods']).toBe('POST');
  expect(allowed.headers['access-control-allow-headers']).toContain('Content-Type');
  const refused = await preflight(gateway, EVIL);
  expect(refused.headers['access-control-allow-origin']).toBeUndefined();
});

test('5 CORS: without CORS_ORIGINS there is none of it', async () => {
  const closed = await startGateway();
  try {
    const answer = await preflight(closed, APP);
    expect(answer.status).toBe(405);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  } finally {
    await closed.close();
  }
});

test('5 on https every answer asks for it to stay so', async () => {
  const { headers } = await gateway.send('POST', '/auth/logout');
  expect(headers['strict-transport-security']).toMatch(/^max-age=\d{7,}/);
});

test('5 several cookies: the first is used, always, and the second triggers nothing', async () => {
  const { email } = await gateway.user();
  const good = (await logIn(gateway, email)).refreshToken;
  const other = (await logIn(gateway, email)).refreshToken;
  const unknown = await forgeRefreshToken(gateway);
  const present = (cookie: string | string[]) => gateway.send('POST', '/auth/refresh', { headers: { cookie } });

  const first = await present(`a=b; refresh_token=${unknown}; refresh_token=${good}`);
  expect(first.json).toEqual({ detail: 'Token not recognised' });
  const empty = await present(`refresh_token=; refresh_token=${good}`);
  expect(empty.json).toEqual({ detail: 'Invalid or expired refresh token' });
  expect((await recordOf(gateway, claimsOf(good)['jti'])).revoked).toBe(false);

  const second = await present([`refresh_token=${good}`, `refresh_token=${other}`]);
  expect(second.status).toBe(200);
  expect((await recordOf(gateway, claimsOf(other)['jti'])).revoked).toBe(false);

  await gateway.send('POST', '/auth/logout', {
    headers: { cookie: `refresh_token=${other}; refresh_token=${unknown}` },
  });
  expect((await recordOf(gateway, claimsOf(other)['jti'])).revoked).toBe(true);
});
