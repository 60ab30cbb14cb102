/** States and transitions of the refresh-token record, a test a row. (Spec 3.1) */

import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { logout, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordOf, recordsOf, wholeState } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken } from '../support/independent/forge.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { REFRESH_TOKEN_TTL_SECONDS: '1000' } });
});
afterAll(() => gateway.close());

const jtiOf = (token: string | undefined): string => String(claimsOf(token ?? '')['jti']);

test('Spec 3.1.1: (none) to active: a login with valid credentials makes a new jti in a new family and sets the cookie', async () => {
  const { id, email } = await gateway.user();
  const { answer, refreshToken } = await logIn(gateway, email);
  expect(cookieAction(answer)).toBe('set');
  expect(await recordsOf(gateway, id)).toMatchObject([{ jti: jtiOf(refreshToken), revoked: false }]);
  await logIn(gateway, email);
  const records = await recordsOf(gateway, id);
  expect(records.map(({ revoked }) => revoked)).toEqual([false, false]); // an older session lives on
  expect(new Set(records.map(({ family_id }) => family_id)).size).toBe(2);
});

test('Spec 3.1.2: active to revoked: a refresh rotates into the same family, sets the cookie and gives an access token', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const { family_id } = await recordOf(gateway, jtiOf(refreshToken));
  gateway.clock.advance(1);
  const answer = await refresh(gateway, refreshToken);
  const successor = refreshTokenOf(answer);
  expect(answer.status).toBe(200);
  expect(claimsOf(answer.json.access_token)['sub']).toBe(id);
  expect(await recordsOf(gateway, id)).toMatchObject([
    { jti: jtiOf(refreshToken), family_id, revoked: true },
    { jti: jtiOf(successor), family_id, revoked: false, user_id: id },
  ]);
});

test('Spec 3.1.3: active to revoked: logout revokes only the current token and writes logout', async () => {
  const { id, email } = await gateway.user();
  const other = await logIn(gateway, email);
  const { refreshToken } = await logIn(gateway, email);
  const [answer, events] = await auditDuring(gateway, () => logout(gateway, refreshToken));
  expect(answer.status).toBe(200);
  expect(events).toMatchObject([{ event_type: 'logout', user_id: id }]);
  expect((await recordOf(gateway, jtiOf(refreshToken))).revoked).toBe(true);
  expect((await recordOf(gateway, jtiOf(other.refreshToken))).revoked).toBe(false);
});

test('Spec 3.1.4: revoked stays revoked: reuse revokes the whole family, writes token_theft, clears the cookie, answers 401', async () => {
  const { id, email } = await gateway.user();
  const other = await logIn(gateway, email);
  const { refreshToken } = await logIn(gateway, email);
  const second = refreshTokenOf(await refresh(gateway, refreshToken));
  const third = refreshTokenOf(await refresh(gateway, second));
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, refreshToken));
  expect(answer.status).toBe(401);
  expect(cookieAction(answer)).toBe('cleared');
  expect(events).toMatchObject([{ event_type: 'token_theft', user_id: id }]);
  for (const token of [refreshToken, second, third]) {
    expect((await recordOf(gateway, jtiOf(token))).revoked).toBe(true);
  }
  expect((await recordOf(gateway, jtiOf(other.refreshToken))).revoked).toBe(false); // another login session
  expect((await refresh(gateway, third)).json.detail).toBe('Session invalidated — please log in again');
  expect((await refresh(gateway, other.refreshToken)).status).toBe(200);
});

test('Spec 3.1.4: revoked by logout is revoked: its reuse is theft too', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  await logout(gateway, refreshToken);
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, refreshToken));
  expect(answer.json.detail).toBe('Session invalidated — please log in again');
  expect(events).toMatchObject([{ event_type: 'token_theft' }]);
});

test('Spec 3.1.4: reuse is theft whenever it comes: five rotations in one second, and after the record itself expired', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  let current: string | undefined = refreshToken;
  for (let i = 0; i < 5; i += 1) current = refreshTokenOf(await refresh(gateway, current));
  const { jti, sub } = claimsOf(refreshToken);
  gateway.clock.advance(2000); // every record of the family is past its expires_at, and the JWT would be too
  const still = await forgeRefreshToken(gateway, { claims: { jti, sub } });
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, still));
  expect(answer.json.detail).toBe('Session invalidated — please log in again');
  expect(events).toMatchObject([{ event_type: 'token_theft' }]);
  expect((await recordOf(gateway, jtiOf(current))).revoked).toBe(true);
});

test('Spec 3.1.5: active stays active when expires_at is in the past: nothing changes, cookie cleared, 401', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  await gateway.rows('update refresh_tokens set expires_at = $2 where user_id = $1', [
    id,
    new Date(gateway.clock.now().getTime() - 1),
  ]);
  const before = await wholeState(gateway);
  const answer = await refresh(gateway, refreshToken);
  expect(answer.status).toBe(401);
  expect(cookieAction(answer)).toBe('cleared');
  expect(await wholeState(gateway)).toEqual(before);
});

test('Spec 3.1.5: a record whose expires_at is now is not in the past yet', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  await gateway.rows('update refresh_tokens set expires_at = $2 where user_id = $1', [id, gateway.clock.now()]);
  expect((await refresh(gateway, refreshToken)).status).toBe(200);
});
