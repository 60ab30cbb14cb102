/** The steps of POST /auth/logout. (Spec 4.3) */
import { randomUUID } from 'node:crypto';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import {
  type Answer,
  claimsOf,
  logIn,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { type AuditRow, auditDuring, recordOf, wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken, keyringJwk, unsignedJwt } from '../support/independent/forge.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

function saysGoodbye(answer: Answer): void {
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({ message: 'Logged out successfully' });
  expect(cookieAction(answer)).toBe('cleared');
}

async function loggedOut(token: string): Promise<AuditRow[]> {
  const [answer, events] = await auditDuring(gateway, () => logout(gateway, token));
  saysGoodbye(answer);
  return events;
}

/** Answered like any logout, and no row is touched. */
async function leavesNoTrace(token: string | undefined): Promise<void> {
  const before = await wholeState(gateway);
  saysGoodbye(await logout(gateway, token));
  expect(await wholeState(gateway)).toEqual(before);
}

test('Spec 4.3.1: revokes the record of the jti, writes logout and clears the cookie', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const { jti } = claimsOf(refreshToken);
  const events = await loggedOut(refreshToken);
  expect(events).toMatchObject([{ event_type: 'logout', user_id: id, metadata: { jti } }]);
  expect((await recordOf(gateway, jti)).revoked).toBe(true);
});

test('Spec 4.3.1: revokes the current token only: another session of the user lives on', async () => {
  const { email } = await gateway.user();
  const other = await logIn(gateway, email);
  await loggedOut((await logIn(gateway, email)).refreshToken);
  expect((await refresh(gateway, other.refreshToken)).status).toBe(200);
});

test('Spec 4.3.1: an older token of the family is marked (again) and the current one lives on', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const current = refreshTokenOf(await refresh(gateway, refreshToken));
  expect(await loggedOut(refreshToken)).toMatchObject([{ event_type: 'logout' }]);
  expect((await refresh(gateway, current)).status).toBe(200);
});

test('Spec 4.3.1: every logout with a cookie that decodes is written, also the second', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  expect(await loggedOut(refreshToken)).toHaveLength(1);
  expect(await loggedOut(refreshToken)).toMatchObject([{ event_type: 'logout' }]);
});

test('Spec 4.3.2: does not check the type', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken, answer } = await logIn(gateway, email);
  for (const type of [undefined, 'access', 17]) {
    const token = await forgeRefreshToken(gateway, { claims: { ...claimsOf(refreshToken), type } });
    expect(await loggedOut(token)).toMatchObject([{ event_type: 'logout', user_id: id }]);
  }
  expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).revoked).toBe(true);
  const access = answer.json.access_token; // it decodes and carries a jti
  expect(await loggedOut(access)).toMatchObject([{ user_id: id, metadata: { jti: claimsOf(access)['jti'] } }]);
});

test('Spec 4.3: an access key ends no session, whatever type its token has', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const claims = claimsOf(refreshToken);
  const jwk = keyringJwk('EdDSA');
  await leavesNoTrace(await forgeRefreshToken(gateway, { claims, jwk }));
  const access = await forgeRefreshToken(gateway, { claims: { ...claims, type: 'access' }, jwk });
  expect(await loggedOut(access)).toMatchObject([{ metadata: { jti: claims['jti'] } }]);
  expect((await recordOf(gateway, claims['jti'])).revoked).toBe(false);
});

test('Spec 4.3.1: a jti without a record, or that is not a UUID, is still audited', async () => {
  const jti = randomUUID();
  const unknown = await forgeRefreshToken(gateway, { claims: { jti } });
  expect(await loggedOut(unknown)).toMatchObject([{ event_type: 'logout', metadata: { jti } }]);
  const odd = await forgeRefreshToken(gateway, { claims: { jti: 'no-uuid' } });
  expect(await loggedOut(odd)).toMatchObject([{ event_type: 'logout', metadata: { jti: 'no-uuid' } }]);
});

test.each<[unknown, string]>([
  ['a\0b', 'a\uFFFDb'], // what PostgreSQL has no text for
  ['\ud800', '\uFFFD'],
  ['x\udc00\0', 'x\uFFFD\uFFFD'],
  [42, '42'],
  [true, 'true'],
  [['a', '\0'], '["a","\\u0000"]'],
  [{ toString: 1, valueOf: 2 }, '{"toString":1,"valueOf":2}'],
])('Spec 4.3: a signed jti that is not plain text is not an error: %j', async (jti, written) => {
  const token = await forgeRefreshToken(gateway, { claims: { jti } });
  expect(await loggedOut(token)).toMatchObject([{ event_type: 'logout', metadata: { jti: written } }]);
});

test.each([undefined, null, 'no-uuid', 17])(
  'Spec 4.3: the sub %j leaves user_id empty, and the token is revoked',
  async (sub) => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    const token = await forgeRefreshToken(gateway, { claims: { ...claimsOf(refreshToken), sub } });
    expect(await loggedOut(token)).toMatchObject([{ event_type: 'logout', user_id: null }]);
    expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).revoked).toBe(true);
  },
);

test('Spec 4.3.3: an absent cookie is not an error', () => leavesNoTrace(undefined));

test.each(['', 'junk', 'a.b.c', '%', 'x'.repeat(3000)])(
  'Spec 4.3.3: a malformed cookie is not an error: %.9j',
  leavesNoTrace,
);

test('Spec 4.3.3: an invalid cookie is not an error and revokes nothing', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const claims = claimsOf(refreshToken);
  await leavesNoTrace(unsignedJwt({ alg: 'none', kid: keyringJwk('HS256').kid }, claims));
  await leavesNoTrace(unsignedJwt({ alg: 'HS256', kid: keyringJwk('HS256').kid }, claims, 'AAAA'));
  await leavesNoTrace(await forgeRefreshToken(gateway, { claims: { ...claims, iss: 'https://other.example.com' } }));
  expect((await refresh(gateway, refreshToken)).status).toBe(200);
});

test('Spec 4.3.3: a cookie without jti is not an error and writes nothing', async () => {
  for (const jti of [undefined, null, '']) {
    await leavesNoTrace(await forgeRefreshToken(gateway, { claims: { jti } }));
  }
});

test('Spec 4.3.3: an expired cookie is not an error and revokes nothing', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  gateway.clock.advance(1_209_600);
  await leavesNoTrace(refreshToken);
  expect((await recordOf(gateway, claimsOf(refreshToken)['jti'])).revoked).toBe(false);
});

test('Spec 4.3: access tokens already issued stay valid until their own expiry', async () => {
  const { answer, refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await loggedOut(refreshToken);
  gateway.clock.advance(899);
  const token = answer.json.access_token;
  expect(decodeProtectedHeader(token).kid).toBe(keyringJwk('EdDSA').kid);
  const { kty, crv, x } = keyringJwk('EdDSA');
  const key = await importJWK({ kty, crv, x } as { kty: 'OKP' }, 'EdDSA');
  const { payload } = await jwtVerify(token, key, { currentDate: gateway.clock.now() });
  expect(payload['type']).toBe('access');
  const whoAmI = { headers: { authorization: `Bearer ${token}` }, body: { query: '{ caller { callerType } }' } };
  expect((await gateway.send('POST', '/graphql', whoAmI)).json).toEqual({ data: { caller: { callerType: 'user' } } });
  gateway.clock.advance(1);
  expect((await gateway.send('POST', '/graphql', whoAmI)).status).toBe(401);
});

test('Spec 4.3.1: revokes and audits together: if the audit row fails, 500, and the session stays live', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const failed = await withFault(gateway, refusesRows('audit_events'), () => logout(gateway, refreshToken));
  expect(failed.status).toBe(500);
  expect(cookieAction(failed)).toBe('unchanged');
  expect((await refresh(gateway, refreshToken)).status).toBe(200);
});
