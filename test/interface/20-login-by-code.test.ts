/** The second step of a login: by the code of an authenticator app, and by a recovery code. (Interface 20) */

import { codeAt, finishLogin, halfLogin, withTotp, wrongCode } from '../support/gateway/factors.js';
import { claimsOf, refreshTokenOf, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { login, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordOf, recordsOf, userRow } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '5', LOGIN_RATE_LIMIT: '100000' } });
});
afterAll(() => gateway.close());

const now = () => gateway.clock.now();

test('Interface 20: the right password of a user with a factor gives a challenge, and neither cookie, session nor event', async () => {
  const { user } = await withTotp(gateway);
  await login(gateway, user.email, WRONG);
  const before = [await userRow(gateway, user.id), await recordsOf(gateway, user.id)];
  const [answer, events] = await auditDuring(gateway, () => login(gateway, user.email));
  expect([answer.status, answer.json, answer.cookies]).toEqual([
    401,
    {
      reason: 'second_factor_required',
      detail: 'Second factor required',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      factors: ['totp', 'recovery_code'],
      expires_in: 300,
    },
    [],
  ]);
  expect(answer.headers['www-authenticate']).toContain('Cookie realm="auth-gateway"');
  expect(events).toEqual([]);
  expect([await userRow(gateway, user.id), await recordsOf(gateway, user.id)]).toEqual(before);
});

test('Interface 20: the challenge with a code is a login at aal2, which a refresh keeps', async () => {
  const { user, secret } = await withTotp(gateway);
  await login(gateway, user.email, WRONG);
  const challenge = await halfLogin(gateway, user.email);
  const [answer, events] = await auditDuring(gateway, () =>
    finishLogin(gateway, challenge, { code: codeAt(secret, now()) }),
  );
  expect([answer.status, Object.keys(answer.json)]).toEqual([200, ['access_token', 'token_type', 'expires_in']]);
  const claims = claimsOf(answer.json.access_token);
  expect(claims).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: now().getTime() / 1000 });
  expect(events).toMatchObject([
    { event_type: 'login_success', user_id: user.id, metadata: { role: 'viewer', factor: 'totp' } },
  ]);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0, last_login_at: now() });
  const refreshed = await refresh(gateway, refreshTokenOf(answer));
  const { acr, amr, auth_time } = claims;
  expect(claimsOf(refreshed.json.access_token)).toMatchObject({ acr, amr, auth_time });
});

test('Interface 20: a wrong code is a failed login of the account, and leaves the half login alive', async () => {
  const { user, secret } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  const [answer, events] = await auditDuring(gateway, () =>
    finishLogin(gateway, challenge, { code: wrongCode(secret, now()) }),
  );
  expect([answer.status, answer.json, answer.cookies]).toEqual([
    401,
    { detail: 'Invalid credentials', reason: 'invalid_credentials' },
    [],
  ]);
  expect(events).toMatchObject([
    {
      event_type: 'login_failure',
      user_id: user.id,
      metadata: { reason: 'invalid_credentials', email: user.email, factor: 'totp' },
    },
  ]);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 1 });
  expect((await finishLogin(gateway, challenge, { code: codeAt(secret, now()) })).status).toBe(200);
});

test('Interface 20: wrong passwords and wrong codes share one count, and the lock refuses the right code', async () => {
  const { user, secret } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  for (let i = 0; i < 2; i += 1) expect((await login(gateway, user.email, WRONG)).status).toBe(401);
  for (let i = 0; i < 3; i += 1) {
    expect((await finishLogin(gateway, challenge, { code: wrongCode(secret, now()) })).status).toBe(401);
  }
  const locked = await finishLogin(gateway, challenge, { code: codeAt(secret, now()) });
  expect([locked.status, locked.json.reason, locked.headers['retry-after']]).toEqual([429, 'account_locked', '900']);
  expect((await login(gateway, user.email)).status).toBe(429);
});

test.each([
  ['of the step before', -30, 200],
  ['of two steps before', -60, 401],
  ['of the next step', 30, 401],
])('Interface 20: a code %s is answered %i s away with %i', async (_which, seconds, status) => {
  const { user, secret } = await withTotp(gateway);
  gateway.clock.advance(60);
  const challenge = await halfLogin(gateway, user.email);
  const code = codeAt(secret, new Date(now().getTime() + seconds * 1000));
  expect((await finishLogin(gateway, challenge, { code })).status).toBe(status);
});

test('Interface 20: a step is good once for its user, at every instance and in every half login', async () => {
  const { user, secret } = await withTotp(gateway);
  const [one, two] = gateway.two();
  const [first, second] = [await halfLogin(one, user.email), await halfLogin(two, user.email)];
  const code = codeAt(secret, now());
  expect((await finishLogin(one, first, { code })).status).toBe(200);
  expect((await finishLogin(two, second, { code })).json.reason).toBe('invalid_credentials');
  const before = codeAt(secret, new Date(now().getTime() - 30_000));
  expect((await finishLogin(two, second, { code: before })).json.reason).toBe('invalid_credentials');
});

test('Interface 20: the code that confirmed an authenticator app has used its step up', async () => {
  const { user, secret } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  const used = codeAt(secret, new Date(now().getTime() - 30_000));
  expect((await finishLogin(gateway, challenge, { code: used })).json.reason).toBe('invalid_credentials');
});

test('Interface 20: a half login is good once, for five minutes, and counts for nobody after that', async () => {
  const { user, secret } = await withTotp(gateway);
  const old = await halfLogin(gateway, user.email);
  gateway.clock.advance(301);
  const used = await halfLogin(gateway, user.email);
  expect((await finishLogin(gateway, used, { code: codeAt(secret, now()) })).status).toBe(200);
  gateway.clock.advance(30);
  for (const challenge of [old, used, 'unknown']) {
    const [answer, events] = await auditDuring(gateway, () =>
      finishLogin(gateway, challenge, { code: codeAt(secret, now()) }),
    );
    expect([answer.status, answer.json.reason, events]).toEqual([401, 'challenge_invalid', []]);
  }
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0 });
});

test('Interface 20: a recovery code is good once, in any spelling, and its use is in the audit log', async () => {
  const { user, recoveryCodes } = await withTotp(gateway);
  const [code = ''] = recoveryCodes;
  expect([recoveryCodes.length, new Set(recoveryCodes).size]).toEqual([10, 10]);
  const challenge = await halfLogin(gateway, user.email);
  const [answer, events] = await auditDuring(gateway, () =>
    finishLogin(gateway, challenge, { recovery_code: ` ${code.toLowerCase().replaceAll('-', ' ')} ` }),
  );
  expect(answer.status).toBe(200);
  expect(claimsOf(answer.json.access_token)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  const { family_id } = await recordOf(gateway, claimsOf(refreshTokenOf(answer) ?? '')['jti']);
  const byType = events.toSorted((one, other) => one.event_type.localeCompare(other.event_type));
  expect(byType).toMatchObject([
    { event_type: 'login_success', metadata: { role: 'viewer', factor: 'recovery_code' } },
    { event_type: 'recovery_code_used', user_id: user.id, metadata: { left: 9, family_id } },
  ]);
  const again = await finishLogin(gateway, await halfLogin(gateway, user.email), { recovery_code: code });
  expect([again.status, again.json.reason]).toEqual([401, 'invalid_credentials']);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 1 });
});

test('Interface 20: a login without a factor stays one step, at aal1', async () => {
  const { accessToken } = await newcomer(gateway);
  expect(claimsOf(accessToken)).toMatchObject({ acr: 'aal1', amr: ['pwd'] });
});
