/** The steps of POST /auth/refresh, in their order. (Spec 4.2) */
import { randomBytes, randomUUID } from 'node:crypto';
import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { auditDuring, liveRecords, recordOf, recordsOf, wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken, hmacSignedJwt, keyringJwk, unsignedJwt } from '../support/independent/forge.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { REFRESH_TOKEN_TTL_SECONDS: '1000' } });
});
afterAll(() => gateway.close());

type Action = 'unchanged' | 'cleared';

/** 401 with this detail and cookie action, and no row of any table touched. */
async function refusesWithoutTrace(token: string | undefined, detail: string, action: Action): Promise<void> {
  const before = await wholeState(gateway);
  const answer = await refresh(gateway, token);
  expect({ status: answer.status, detail: answer.json.detail }).toEqual({ status: 401, detail });
  expect(cookieAction(answer)).toBe(action);
  expect(await wholeState(gateway)).toEqual(before);
}

const invalid = (token: string): Promise<void> =>
  refusesWithoutTrace(token, 'Invalid or expired refresh token', 'cleared');

/** A session, and the claims of its token, to forge variants of. */
async function session() {
  const user = await gateway.user();
  const { refreshToken } = await logIn(gateway, user.email);
  return { user, refreshToken, claims: claimsOf(refreshToken) };
}

test('Spec 4.2: answers 200, replaces the cookie, and needs no body', async () => {
  const { refreshToken } = await session();
  const answer = await refresh(gateway, refreshToken);
  expect(answer.status).toBe(200);
  expect(cookieAction(answer)).toBe('set');
  expect(refreshTokenOf(answer)).not.toBe(refreshToken);
});

test.each(['not json', '{"refresh_token":"x"}', 'x'.repeat(20_000)])('Spec 4.2: reads no body: %.20s', async (body) => {
  const { refreshToken } = await session();
  const headers = { cookie: `refresh_token=${refreshToken}`, 'content-type': 'application/json' };
  expect((await gateway.send('POST', '/auth/refresh', { headers, body })).status).toBe(200);
});

test('Spec 4.2: reads the token only from the cookie', async () => {
  const { refreshToken } = await session();
  const headers = { authorization: `Bearer ${refreshToken}`, 'x-refresh-token': refreshToken };
  const options = { headers, body: { refresh_token: refreshToken } };
  const answer = await gateway.send('POST', `/auth/refresh?refresh_token=${refreshToken}`, options);
  expect(answer.json).toEqual({ detail: 'No refresh token provided', reason: 'no_refresh_token' });
});

test('Spec 4.2.1: an absent cookie is 401', async () => {
  await refusesWithoutTrace(undefined, 'No refresh token provided', 'unchanged');
  const other = await gateway.send('POST', '/auth/refresh', { headers: { cookie: 'Refresh_Token=x; other=y' } });
  expect(other.json).toEqual({ detail: 'No refresh token provided', reason: 'no_refresh_token' });
});

test.each(['', 'junk', 'a.b.c', 'a.b.c.d.e', '%00', `${'x'.repeat(3000)}`])(
  'Spec 4.2.2: refuses a malformed JWT: %.9j',
  invalid,
);

test('Spec 4.2.2: refuses a signature that does not fit', async () => {
  const { refreshToken, claims } = await session();
  const [header = '', payload = '', signature = ''] = refreshToken.split('.');
  await invalid(`${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`);
  await invalid(`${header}.${payload}.`);
  const otherClaims = Buffer.from(JSON.stringify({ ...claims, sub: randomUUID() })).toString('base64url');
  await invalid(`${header}.${otherClaims}.${signature}`);
  const k = randomBytes(32).toString('base64url');
  await invalid(await forgeRefreshToken(gateway, { claims, jwk: { ...keyringJwk('HS256'), k } }));
});

test('Spec 4.2.2: refuses every algorithm but that of the key that kid names', async () => {
  const { claims } = await session();
  const { kid } = keyringJwk('HS256');
  const access = keyringJwk('EdDSA');
  await invalid(unsignedJwt({ alg: 'none', typ: 'JWT', kid }, claims));
  await invalid(unsignedJwt({ alg: 'none', typ: 'JWT' }, claims));
  await invalid(await forgeRefreshToken(gateway, { claims, header: { alg: 'HS512' } }));
  await invalid(await forgeRefreshToken(gateway, { claims, header: { kid: access.kid } })); // HS256 by an Ed25519 kid
  await invalid(await forgeRefreshToken(gateway, { claims, header: { kid: 'unknown' } }));
  await invalid(await forgeRefreshToken(gateway, { claims, header: { kid: '' } }));
  // The sealing key is no signing key, and the public half of the access key is no secret.
  await invalid(await forgeRefreshToken(gateway, { claims, header: { alg: 'HS256' }, jwk: keyringJwk('A256GCM') }));
  const publicHalf = { kty: 'oct', k: access.x ?? '', kid: access.kid };
  await invalid(await forgeRefreshToken(gateway, { claims, header: { alg: 'HS256' }, jwk: publicHalf }));
});

test('Spec 4.2.2: takes no key from the token itself (jwk, jku), and knows no critical extension', async () => {
  const { claims } = await session();
  const k = randomBytes(32).toString('base64url');
  const own = { kty: 'oct', k, kid: keyringJwk('HS256').kid };
  const header = { alg: 'HS256', jwk: own, jku: 'https://evil.example.com/jwks.json' };
  await invalid(await forgeRefreshToken(gateway, { claims, header, jwk: own }));
  await invalid(hmacSignedJwt({ crit: ['exp'], exp: 1 }, claims));
  await invalid(hmacSignedJwt({ crit: ['nobody-knows'], 'nobody-knows': 1 }, claims));
  expect((await refresh(gateway, hmacSignedJwt({}, claims))).status).toBe(200); // the same without them
});

test('Spec 4.2.2: the expiry of the JWT is checked to the second', async () => {
  const { refreshToken } = await session();
  gateway.clock.advance(999.9);
  const last = refreshTokenOf(await refresh(gateway, refreshToken));
  expect(last).toBeDefined();
  gateway.clock.advance(1000);
  await invalid(last ?? '');
});

test('Spec 4.2.2: refuses a token without expiry, or of another issuer', async () => {
  const { claims } = await session();
  await invalid(await forgeRefreshToken(gateway, { claims: { ...claims, exp: undefined } }));
  await invalid(await forgeRefreshToken(gateway, { claims: { ...claims, iss: 'https://other.example.com' } }));
  await invalid(await forgeRefreshToken(gateway, { claims: { ...claims, iss: undefined } }));
});

test('Spec 4.2.3: the type must be refresh: an access token in the cookie is of the wrong type', async () => {
  const user = await gateway.user();
  const { answer } = await logIn(gateway, user.email);
  await refusesWithoutTrace(answer.json.access_token, 'Invalid token type', 'cleared');
});

test('Spec 4.2.2: an access key signs no refresh token: its best forgery neither rotates nor retries nor ends anything', async () => {
  const { claims } = await session();
  const jwk = keyringJwk('EdDSA');
  const forgery = await forgeRefreshToken(gateway, { claims, jwk });
  await refusesWithoutTrace(forgery, 'Invalid or expired refresh token', 'cleared');
  for (const type of [undefined, 'access', ['refresh']]) {
    const other = await forgeRefreshToken(gateway, { claims: { ...claims, type }, jwk });
    await refusesWithoutTrace(other, 'Invalid token type', 'cleared');
  }
  expect((await refresh(gateway, await forgeRefreshToken(gateway, { claims }))).status).toBe(200); // by its own key
});

test.each([undefined, null, '', 'access', 'Refresh', ['refresh'], true])(
  'Spec 4.2.3: the type %j is refused',
  async (type) => {
    const { claims } = await session();
    const token = await forgeRefreshToken(gateway, { claims: { ...claims, type } });
    await refusesWithoutTrace(token, 'Invalid token type', 'cleared');
  },
);

test('Spec 4.2.3: comes before Spec 4.2.4: a token with neither type nor jti is of the wrong type', async () => {
  const token = await forgeRefreshToken(gateway, { claims: { type: undefined, jti: undefined, sub: undefined } });
  await refusesWithoutTrace(token, 'Invalid token type', 'cleared');
});

test.each(['jti', 'sub'])('Spec 4.2.4: %s must be present', async (claim) => {
  const { claims } = await session();
  for (const value of [undefined, null, '']) {
    const token = await forgeRefreshToken(gateway, { claims: { ...claims, [claim]: value } });
    await refusesWithoutTrace(token, 'Malformed token', 'cleared');
  }
});

test('Spec 4.2.4: comes before Spec 4.2.5: without sub, an invalid jti is not reported', async () => {
  const token = await forgeRefreshToken(gateway, { claims: { sub: undefined, jti: 'no-uuid' } });
  await refusesWithoutTrace(token, 'Malformed token', 'cleared');
});

test.each([
  'no-uuid',
  '018f3a3e-1111-7000-8000-00000000000',
  '018f3a3e-1111-7000-8000-0000000000000',
  '018f3a3e11117000800000000000000g',
  ' 018f3a3e-1111-7000-8000-000000000000',
  "'; drop table users; --",
  17,
  true,
  ['018f3a3e-1111-7000-8000-000000000000'],
])('Spec 4.2.5: the jti %j is not a UUID: 401, and the cookie stays', async (jti) => {
  const token = await forgeRefreshToken(gateway, { claims: { jti } });
  await refusesWithoutTrace(token, 'Invalid token format', 'unchanged');
});

test('Spec 4.2.6: a jti without a record is not recognised', async () => {
  await refusesWithoutTrace(await forgeRefreshToken(gateway), 'Token not recognised', 'cleared');
});

test('Spec 4.2.7: revokes the whole family when a used token returns', async () => {
  const { user, refreshToken, claims } = await session();
  const successor = refreshTokenOf(await refresh(gateway, refreshToken));
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, refreshToken));
  expect(answer.status).toBe(401);
  expect(answer.json).toEqual({ detail: 'Session invalidated — please log in again', reason: 'record_revoked' });
  expect(cookieAction(answer)).toBe('cleared');
  expect(events).toMatchObject([{ event_type: 'token_theft', metadata: { reused_jti: claims['jti'] } }]);
  expect((await recordsOf(gateway, user.id)).filter(({ revoked }) => !revoked)).toEqual([]);
  expect((await recordOf(gateway, claimsOf(successor ?? '')['jti'])).revoked).toBe(true);
});

test('Spec 4.2.7: comes before Spec 4.2.8: a revoked record that has expired is theft', async () => {
  const { user, refreshToken } = await session();
  await refresh(gateway, refreshToken);
  await gateway.rows(`update refresh_tokens set expires_at = '2000-01-01' where user_id = $1`, [user.id]);
  const answer = await refresh(gateway, refreshToken);
  expect(answer.json).toEqual({ detail: 'Session invalidated — please log in again', reason: 'record_revoked' });
  expect((await liveRecords(gateway)).filter(({ user_id }) => user_id === user.id)).toEqual([]);
});

test('Spec 4.2.8: a record that has expired is 401, whatever the JWT says', async () => {
  const { user, refreshToken } = await session();
  const past = new Date(gateway.clock.now().getTime() - 1);
  await gateway.rows('update refresh_tokens set expires_at = $2 where user_id = $1', [user.id, past]);
  await refusesWithoutTrace(refreshToken, 'Refresh token expired', 'cleared');
});
