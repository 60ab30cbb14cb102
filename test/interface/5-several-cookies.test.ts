/** Several `refresh_token` cookies in one request, as a sibling host can bring about. (Interface 5) */
import { createSecretKey, randomBytes } from 'node:crypto';
import { exportJWK } from 'jose';
import { type Answer, claimsOf, logIn, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { auditDuring, recordOf, wholeState } from '../support/gateway/rows.js';
import { setCookiesOf } from '../support/independent/cookies.js';
import { forgeRefreshToken, keyringJwk, unsignedJwt } from '../support/independent/forge.js';

const ENV = { PUBLIC_URL: 'https://auth.app.example.com', COOKIE_DOMAIN: 'app.example.com' };
const CHALLENGE = 'Cookie realm="auth-gateway", form-action="/auth/login", cookie-name="refresh_token"';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: ENV });
});
afterAll(() => gateway.close());

const present = (path: string, cookie: string | string[]): Promise<Answer> =>
  gateway.send('POST', path, { headers: { cookie } });

const session = async () => (await logIn(gateway, (await gateway.user()).email)).refreshToken;

/** By which domains an answer clears the cookie, each with the attributes of Spec 5.2 */
function clearedDomains(answer: Answer): unknown[] {
  return setCookiesOf(answer).map(({ name, value, attributes }) => {
    const { domain = 'the host alone', ...others } = attributes;
    expect([name, value]).toEqual(['refresh_token', '']);
    expect(others).toEqual({
      path: '/auth',
      'max-age': '0',
      expires: new Date(0).toUTCString(),
      httponly: true,
      secure: true,
      samesite: 'Strict',
    });
    return domain;
  });
}

const EVERYWHERE = ['the host alone', 'auth.app.example.com', 'app.example.com', 'example.com'];

test.each([
  [
    'a cookie of somebody else in front',
    (own: string, other: string) => `refresh_token=${other}; refresh_token=${own}`,
  ],
  ['behind', (own: string, other: string) => `refresh_token=${own}; a=b;refresh_token=${other}`],
  ['in a field of its own', (own: string, other: string) => [`refresh_token=${other}`, `refresh_token=${own}`]],
  ['in quotes', (own: string, other: string) => `refresh_token="${other}"; refresh_token=${own}`],
  ['both not ours', () => 'refresh_token=; refresh_token=junk'],
])(
  'Interface 5: a refresh with cookies that differ is refused, nothing ends, and all are cleared: %s',
  async (_how, of) => {
    const cookie = of(await session(), await session());
    const before = await wholeState(gateway);
    const answer = await present('/auth/refresh', cookie);
    expect([answer.status, answer.json]).toEqual([
      401,
      { detail: 'Invalid or expired refresh token', reason: 'ambiguous_cookie' },
    ]);
    expect(answer.headers['www-authenticate']).toBe(CHALLENGE);
    expect(clearedDomains(answer)).toEqual(EVERYWHERE);
    expect(await wholeState(gateway)).toEqual(before);
  },
);

test('Interface 5: a value that none of our keys signed is ignored next to one that is ours', async () => {
  const foreignKey = await exportJWK(createSecretKey(randomBytes(32)));
  const { kid } = keyringJwk('HS256');
  const foreign = [
    ['empty', ''],
    ['of another program', 'junk'],
    ['signed by a key of another', await forgeRefreshToken(gateway, { jwk: { ...foreignKey, kid, alg: 'HS256' } })],
    ['not signed', unsignedJwt({ alg: 'none', kid }, claimsOf(await session()))],
  ];
  for (const [what, value] of foreign) {
    for (const isFirst of [true, false]) {
      const own = await session();
      const both = (ours: string): string =>
        (isFirst ? [value, ours] : [ours, value]).map((one) => `refresh_token=${one}`).join('; ');
      const refreshed = await present('/auth/refresh', both(own));
      expect([what, isFirst, refreshed.status]).toEqual([what, isFirst, 200]);
      const next = setCookiesOf(refreshed)[0]?.value ?? '';
      const [answer, events] = await auditDuring(gateway, () => present('/auth/logout', both(next)));
      expect(clearedDomains(answer)).toEqual(['app.example.com']);
      expect(events.map(({ event_type }) => event_type)).toEqual(['logout']);
      expect((await recordOf(gateway, claimsOf(next)['jti'])).revoked).toBe(true);
      const ended = await present('/auth/refresh', both(await forgeRefreshToken(gateway)));
      expect(ended.json).toEqual({ detail: 'Token not recognised', reason: 'record_unknown' });
    }
  }
});

test('Interface 5: a token is ours if a key of the keyring has signed it, whatever it says', async () => {
  const forged: Array<Parameters<typeof forgeRefreshToken>[1]> = [
    { claims: { exp: 1 } },
    { claims: { iss: 'https://former.example.com', exp: undefined } },
    { claims: { type: 'access' }, jwk: keyringJwk('EdDSA') },
  ];
  for (const forgery of forged) {
    const own = await session();
    const other = await forgeRefreshToken(gateway, forgery);
    const answer = await present('/auth/refresh', `refresh_token=${other}; refresh_token=${own}`);
    expect([forgery, answer.json]).toMatchObject([forgery, { reason: 'ambiguous_cookie' }]);
    expect((await recordOf(gateway, claimsOf(own)['jti'])).revoked).toBe(false);
  }
});

test('Interface 5: a used cookie next to the current one is no theft', async () => {
  const used = await session();
  const current = setCookiesOf(await present('/auth/refresh', `refresh_token=${used}`))[0]?.value ?? '';
  const before = await wholeState(gateway);
  expect((await present('/auth/refresh', `refresh_token=${used}; refresh_token=${current}`)).status).toBe(401);
  expect(await wholeState(gateway)).toEqual(before);
  expect((await present('/auth/refresh', `refresh_token=${current}`)).status).toBe(200);
});

test('Interface 5: the same value twice is one cookie', async () => {
  const own = await session();
  const answer = await present('/auth/refresh', `refresh_token=${own}; refresh_token=${own}`);
  expect([answer.status, setCookiesOf(answer).length]).toEqual([200, 1]);
});

test('Interface 5: a logout ends the session of each cookie, and clears all of them', async () => {
  const own = await session();
  const other = await session();
  const stale = await forgeRefreshToken(gateway, { claims: { exp: 1 } });
  const cookie = ['junk', other, stale, own, other].map((value) => `refresh_token=${value}`).join('; ');
  const [answer, events] = await auditDuring(gateway, () => present('/auth/logout', cookie));
  expect([answer.status, answer.json]).toEqual([200, { message: 'Logged out successfully' }]);
  expect(clearedDomains(answer)).toEqual(EVERYWHERE);
  expect(events.map(({ event_type }) => event_type)).toEqual(['logout', 'logout']);
  for (const token of [own, other]) expect((await recordOf(gateway, claimsOf(token)['jti'])).revoked).toBe(true);
});

test.each([
  ['http://localhost:3000', ['the host alone']],
  ['http://127.0.0.1:3000', ['the host alone']],
  ['http://[::1]:3000', ['the host alone']],
])('Interface 5: no domain is above %s', async (PUBLIC_URL, domains) => {
  const local = await startGateway({ env: { PUBLIC_URL } });
  try {
    const headers = { cookie: 'refresh_token=a; refresh_token=b' };
    const { cookies } = await local.send('POST', '/auth/refresh', { headers });
    expect(cookies.map((field) => /domain=([^;]*)/i.exec(field)?.[1] ?? 'the host alone')).toEqual(domains);
  } finally {
    await local.close();
  }
});
