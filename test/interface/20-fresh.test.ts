/** A change of one's own factors needs a proof of the last 300 seconds, by a factor if there is one. (Interface 20, RFC 9470) */
import { codeAt, confirm, logInByCode, post, removeFactor, withTotp } from '../support/gateway/factors.js';
import { type Answer, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, signIn } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';
import { auditDuring } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const NO_ID = '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77';
const BY_PASSWORD = 'Bearer realm="auth-gateway", error="insufficient_user_authentication", max_age="300"';
const BY_FACTOR = `${BY_PASSWORD}, acr_values="aal2"`;

/** Each route that wants a fresh proof, and what it answers to one: nothing changes. */
const ROUTES: Array<[route: string, ask: (token: string) => Promise<Answer>, reason: string | undefined]> = [
  ['POST /auth/factors/totp', (token) => post(gateway, 'factors/totp', {}, token), undefined],
  ['POST /auth/factors/passkey/options', (token) => post(gateway, 'factors/passkey/options', {}, token), undefined],
  [
    'POST /auth/factors/passkey',
    (token) => post(gateway, 'factors/passkey', { ceremony: 'x', credential: {}, name: 'Laptop' }, token),
    'challenge_invalid',
  ],
  [
    'POST /auth/factors/recovery-codes',
    (token) => post(gateway, 'factors/recovery-codes', {}, token),
    'factor_unknown',
  ],
  ['DELETE /auth/factors/ID', (token) => removeFactor(gateway, token, NO_ID), 'factor_unknown'],
];

async function expectStale(ask: () => Promise<Answer>, challenge: string): Promise<void> {
  const [answer, events] = await auditDuring(gateway, ask);
  expect([answer.status, answer.json, answer.headers['www-authenticate'], events]).toEqual([
    401,
    { detail: 'Confirm who you are', reason: 'confirmation_required' },
    challenge,
    [],
  ]);
}

test.each(ROUTES)('Interface 20: %s: a login by password is fresh for 300 seconds', async (_route, ask, reason) => {
  const { accessToken } = await newcomer(gateway);
  expect((await ask(accessToken)).json.reason).toBe(reason);
  gateway.clock.advance(299);
  expect((await ask(accessToken)).json.reason).toBe(reason);
  gateway.clock.advance(1);
  await expectStale(() => ask(accessToken), BY_PASSWORD);
});

test.each(ROUTES)(
  'Interface 20: %s: a confirmation makes the session fresh, with the token from before it too, and a refresh does not',
  async (_route, ask, reason) => {
    const { accessToken, refreshToken } = await newcomer(gateway);
    gateway.clock.advance(301);
    const refreshed = (await refresh(gateway, refreshToken)).json.access_token;
    for (const token of [accessToken, refreshed]) await expectStale(() => ask(token), BY_PASSWORD);
    await confirm(gateway, refreshed, { password: PASSWORD });
    for (const token of [accessToken, refreshed]) expect((await ask(token)).json.reason).toBe(reason);
    gateway.clock.advance(301);
    await expectStale(() => ask(accessToken), BY_PASSWORD);
  },
);

/** With an authenticator app there are codes to renew, and no second app. */
const WITH_APP: Record<string, string | undefined> = {
  'POST /auth/factors/totp': 'totp_exists',
  'POST /auth/factors/recovery-codes': undefined,
};

test.each(ROUTES)(
  'Interface 20: %s: with a factor only the factor is fresh, and a login from before it is not',
  async (route, ask, plain) => {
    const reason = route in WITH_APP ? WITH_APP[route] : plain;
    const before = await newcomer(gateway);
    const session = await signIn(gateway, before.user);
    const { id, secret } = (await post(gateway, 'factors/totp', {}, session.accessToken)).json;
    const code = codeAt(secret, gateway.clock.now());
    expect((await post(gateway, `factors/totp/${id}`, { code }, session.accessToken)).status).toBe(200);

    await expectStale(() => ask(before.accessToken), BY_FACTOR); // recent, but by the password
    expect((await ask(session.accessToken)).json.reason).toBe(reason);
    gateway.clock.advance(299);
    expect((await ask(session.accessToken)).json.reason).toBe(reason);
    gateway.clock.advance(2);
    for (const { accessToken } of [session, before]) await expectStale(() => ask(accessToken), BY_FACTOR);
    const next = { code: codeAt(secret, gateway.clock.now()) };
    expect((await confirm(gateway, before.accessToken, next)).status).toBe(200);
    expect((await ask(before.accessToken)).json.reason).toBe(reason);
    await expectStale(() => ask(session.accessToken), BY_FACTOR);
  },
);

test('Interface 20: a login by both steps is fresh, and the first code of an app needs no fresh proof', async () => {
  const app = await withTotp(gateway);
  const session = await logInByCode(gateway, app);
  expect((await removeFactor(gateway, session.accessToken, app.factorId)).status).toBe(204);
  const { id, secret } = (await post(gateway, 'factors/totp', {}, session.accessToken)).json;
  gateway.clock.advance(400);
  const code = { code: codeAt(secret, gateway.clock.now()) };
  expect((await post(gateway, `factors/totp/${id}`, code, session.accessToken)).status).toBe(200);
});

test.each([
  ['no token', {}, 'missing_credentials', 'Bearer realm="auth-gateway"'],
  ['another scheme', { authorization: 'Basic x' }, 'unsupported_scheme', 'Bearer realm="auth-gateway"'],
  [
    'no valid token',
    { authorization: 'Bearer x' },
    'invalid_token',
    'Bearer realm="auth-gateway", error="invalid_token"',
  ],
])('Interface 20: %s is the 401 of RFC 6750', async (_what, headers, reason, challenge) => {
  const paths = ['factors/totp', `factors/totp/${NO_ID}`, 'factors/passkey/options', 'factors/passkey'];
  for (const path of [...paths, 'factors/recovery-codes', 'confirm/options']) {
    const answer = await gateway.send('POST', `/auth/${path}`, { headers, body: {} });
    expect([path, answer.status, answer.json.reason]).toEqual([path, 401, reason]);
    expect(answer.headers['www-authenticate']).toContain(challenge);
  }
  const answer = await gateway.send('DELETE', `/auth/factors/${NO_ID}`, { headers });
  expect([answer.status, answer.json.reason]).toEqual([401, reason]);
});
