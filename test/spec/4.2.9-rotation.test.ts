/** The rotation, and whose role and state it reads. (Spec 4.2 step 9) */

import { claimsOf, logIn, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { refresh } from '../support/gateway/routes.js';
import { auditDuring, recordOf, recordsOf, userRow } from '../support/gateway/rows.js';
import { cookieAction } from '../support/independent/cookies.js';
import { forgeRefreshToken } from '../support/independent/forge.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('Spec 4.2.9: the role in the new access token is the current one, read at this moment', async () => {
  const { id, email } = await gateway.user({ role: 'viewer' });
  let token: string | undefined = (await logIn(gateway, email)).refreshToken;
  for (const role of ['admin', 'analyst', 'viewer']) {
    await gateway.rows('update users set role = $2 where id = $1', [id, role]);
    const answer = await refresh(gateway, token);
    expect(claimsOf(answer.json.access_token)).toMatchObject({ sub: id, role });
    token = refreshTokenOf(answer);
  }
});

test('Spec 4.2.9: without a user row the role is viewer', async () => {
  const { id, email } = await gateway.user({ role: 'admin' });
  const { refreshToken } = await logIn(gateway, email);
  await gateway.rows('delete from users where id = $1', [id]);
  const answer = await refresh(gateway, refreshToken);
  expect(answer.status).toBe(200);
  expect(claimsOf(answer.json.access_token)).toMatchObject({ sub: id, role: 'viewer' });
  expect((await recordsOf(gateway, id)).map(({ revoked }) => revoked).sort()).toEqual([false, true]);
});

test('Spec 4.2.9: is_active is not checked here, nor is the lock', async () => {
  const { id, email } = await gateway.user({ role: 'analyst' });
  const { refreshToken } = await logIn(gateway, email);
  await gateway.rows(`update users set is_active = false, locked_until = '2100-01-01' where id = $1`, [id]);
  const answer = await refresh(gateway, refreshToken);
  expect(answer.status).toBe(200);
  expect(claimsOf(answer.json.access_token)['role']).toBe('analyst');
});

test('Spec 4.2.9: changes neither the user nor any other session, and writes no audit event', async () => {
  const { id, email } = await gateway.user();
  const other = await logIn(gateway, email);
  const { refreshToken } = await logIn(gateway, email);
  const before = await userRow(gateway, id);
  gateway.clock.advance(10);
  const [answer, events] = await auditDuring(gateway, () => refresh(gateway, refreshToken));
  expect(answer.status).toBe(200);
  expect(events).toEqual([]);
  expect(await userRow(gateway, id)).toEqual(before);
  expect((await recordOf(gateway, claimsOf(other.refreshToken)['jti'])).revoked).toBe(false);
  expect(await recordsOf(gateway, id)).toHaveLength(3);
});

test('Spec 4.2.9: the owner is that of the record, whatever sub says', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const stranger = await gateway.user({ role: 'admin' });
  const claims = { ...claimsOf(refreshToken), sub: stranger.id };
  const answer = await refresh(gateway, await forgeRefreshToken(gateway, { claims }));
  expect(claimsOf(answer.json.access_token)).toMatchObject({ sub: id, role: 'viewer' });
  expect(claimsOf(refreshTokenOf(answer) ?? '')['sub']).toBe(id);
});

test('Spec 4.2.9: writes the successor or nothing: if it cannot be stored, the old token stays valid', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  await withFault(gateway, refusesRows('refresh_tokens', `user_agent <> 'fails'`), async () => {
    const failed = await refresh(gateway, refreshToken, { 'user-agent': 'fails' });
    expect(failed.status).toBe(500);
    expect(cookieAction(failed)).toBe('unchanged');
    expect((await refresh(gateway, refreshToken)).status).toBe(200);
  });
});

test('Spec 4.2.7: revokes and audits together: if the audit row fails, the family stays live and 500 clears nothing', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const successor = refreshTokenOf(await refresh(gateway, refreshToken));
  const failed = await withFault(gateway, refusesRows('audit_events'), () => refresh(gateway, refreshToken));
  expect(failed.status).toBe(500);
  expect(cookieAction(failed)).toBe('unchanged');
  expect((await recordOf(gateway, claimsOf(successor ?? '')['jti'])).revoked).toBe(false);
});

test('Spec 4.2.7: audits and revokes together: if the revocation cannot be committed, no event is written', async () => {
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  await refresh(gateway, refreshToken);
  const failsAtCommit = `create function fail() returns trigger language plpgsql as 'begin raise exception ''no''; end';
    create constraint trigger fail after update on refresh_tokens deferrable initially deferred
    for each row execute function fail()`;
  const [failed, events] = await withFault(gateway, [failsAtCommit, 'drop function fail cascade'], () =>
    auditDuring(gateway, () => refresh(gateway, refreshToken)),
  );
  expect([failed.status, cookieAction(failed)]).toEqual([500, 'unchanged']);
  expect(events).toEqual([]);
});
