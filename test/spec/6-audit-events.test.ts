/** The audit events, a test a row, each field retyped by hand. (Spec 6) */

import { claimsOf, logIn, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { type AuditRow, auditDuring, recordOf } from '../support/gateway/rows.js';
import { forgeRefreshToken } from '../support/independent/forge.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { TRUST_PROXY: '127.0.0.1', LOGIN_MAX_FAILURES: '1', LOGIN_LOCKOUT_SECONDS: '90' },
  });
});
afterAll(() => gateway.close());

const FROM = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'Browser/7.0' };

/** The rows that `act` writes; every one has the entity type `user` and the time of the event. */
async function events(act: () => Promise<unknown>): Promise<Array<Partial<AuditRow>>> {
  const [, written] = await auditDuring(gateway, act);
  return written.map(({ entity_type, created_at, ...event }) => {
    expect(entity_type).toBe('user');
    expect(created_at).toEqual(gateway.clock.now());
    return event;
  });
}

test('Spec 6: account_locked: the user id, and locked_until as an ISO 8601 timestamp', async () => {
  const { id, email } = await gateway.user();
  await login(gateway, email, WRONG);
  const lockedUntil = new Date(gateway.clock.now().getTime() + 90_000);
  gateway.clock.advance(12.345);
  expect(await events(() => login(gateway, email, PASSWORD, FROM))).toEqual([
    {
      event_type: 'account_locked',
      user_id: id,
      ip_address: '192.0.2.7',
      user_agent: 'Browser/7.0',
      metadata: { locked_until: lockedUntil.toISOString() },
    },
  ]);
});

test('Spec 6: login_failure: the user id for a wrong password', async () => {
  const { id, email } = await gateway.user();
  expect(await events(() => login(gateway, ` ${email.toUpperCase()} `, WRONG, FROM))).toEqual([
    {
      event_type: 'login_failure',
      user_id: id,
      ip_address: '192.0.2.7',
      user_agent: 'Browser/7.0',
      metadata: { reason: 'invalid_credentials', email },
    },
  ]);
});

test('Spec 6: login_failure: user_id empty for an unknown e-mail and for an inactive user', async () => {
  const inactive = await gateway.user();
  await gateway.rows('update users set is_active = false where id = $1', [inactive.id]);
  for (const email of ['Nobody@Example.com', inactive.email]) {
    expect(await events(() => login(gateway, email, PASSWORD, FROM))).toEqual([
      {
        event_type: 'login_failure',
        user_id: null,
        ip_address: '192.0.2.7',
        user_agent: 'Browser/7.0',
        metadata: { reason: 'invalid_credentials', email: email.toLowerCase() },
      },
    ]);
  }
});

test.each(['viewer', 'analyst', 'admin'] as const)('Spec 6: login_success: the role %s', async (role) => {
  const { id, email } = await gateway.user({ role });
  expect(await events(() => login(gateway, email, PASSWORD, FROM))).toEqual([
    {
      event_type: 'login_success',
      user_id: id,
      ip_address: '192.0.2.7',
      user_agent: 'Browser/7.0',
      metadata: { role },
    },
  ]);
});

test('Spec 6: token_theft: the sub claim, reused_jti and family_id, both strings', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  await refresh(gateway, refreshToken);
  const { jti } = claimsOf(refreshToken);
  const { family_id } = await recordOf(gateway, jti);
  expect(await events(() => refresh(gateway, refreshToken, FROM))).toEqual([
    {
      event_type: 'token_theft',
      user_id: id,
      ip_address: '192.0.2.7',
      user_agent: 'Browser/7.0',
      metadata: { reused_jti: jti, family_id },
    },
  ]);
});

test('Spec 6: token_theft: the sub claim of the token, not the owner of the record; each reuse is one event', async () => {
  const { email } = await gateway.user();
  const other = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  await refresh(gateway, refreshToken);
  const token = await forgeRefreshToken(gateway, { claims: { ...claimsOf(refreshToken), sub: other.id } });
  for (let reuse = 0; reuse < 2; reuse += 1) {
    expect(await events(() => refresh(gateway, token))).toMatchObject([
      { event_type: 'token_theft', user_id: other.id },
    ]);
  }
  const odd = await forgeRefreshToken(gateway, { claims: { ...claimsOf(refreshToken), sub: 'no-uuid' } });
  expect(await events(() => refresh(gateway, odd))).toMatchObject([{ event_type: 'token_theft', user_id: null }]);
});

test('Spec 6: logout: the sub claim and the jti, without user_agent', async () => {
  const { id, email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  expect(await events(() => logout(gateway, refreshToken, FROM))).toEqual([
    {
      event_type: 'logout',
      user_id: id,
      ip_address: '192.0.2.7',
      user_agent: null,
      metadata: { jti: claimsOf(refreshToken)['jti'] },
    },
  ]);
});

test('Spec 6: a request without a User-Agent has an empty one, which is not the missing one of logout', async () => {
  const { email } = await gateway.user();
  expect(await events(() => login(gateway, email))).toMatchObject([{ user_agent: '', ip_address: '127.0.0.1' }]);
});

test('Spec 6: the user agent of an event is at most 512 characters too', async () => {
  const { email } = await gateway.user();
  const written = await events(() => login(gateway, email, PASSWORD, { 'user-agent': 'x'.repeat(600) }));
  expect(written).toMatchObject([{ user_agent: 'x'.repeat(512) }]);
});

test('Spec 6: what is not in the table writes nothing: a good refresh, every other refusal, a bad body, logout without jti', async () => {
  const { email } = await gateway.user();
  const { refreshToken, answer } = await logIn(gateway, email);
  const forged = await Promise.all([
    forgeRefreshToken(gateway),
    forgeRefreshToken(gateway, { claims: { jti: 'no-uuid' } }),
    forgeRefreshToken(gateway, { claims: { sub: undefined } }),
  ]);
  const written = await events(async () => {
    await refresh(gateway, refreshToken);
    await refresh(gateway);
    for (const token of ['junk', answer.json.access_token, ...forged]) await refresh(gateway, token);
    await gateway.send('POST', '/auth/login', { body: { email } });
    await logout(gateway);
    await logout(gateway, 'junk');
  });
  expect(written).toEqual([]);
});

test('Spec 6: no event ever holds the password that was submitted', async () => {
  const { email } = await gateway.user();
  const secret = 'a password nobody should ever see';
  await login(gateway, email, secret);
  await login(gateway, 'nobody@example.com', secret);
  const found = await gateway.rows(`select 1 from audit_events e where e::text like '%nobody should%'`);
  expect(found).toEqual([]);
});
