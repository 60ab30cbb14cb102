/** The user of a session proves again who they are: by a password, a code or a passkey. (Interface 20) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserPassword } from '../../src/admin/user-changes.js';
import {
  addPasskey,
  codeAt,
  confirm,
  confirmByPasskey,
  finishLogin,
  halfLogin,
  logInByCode,
  post,
  removeFactor,
  withPasskey,
  withTotp,
  wrongCode,
} from '../support/gateway/factors.js';
import {
  type Answer,
  claimsOf,
  PASSWORD,
  refreshTokenOf,
  startGateway,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { CHOSEN } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, logout, refresh, WRONG } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow } from '../support/gateway/rows.js';
import { newKey, retryField, rotated } from '../support/independent/retries.js';
import { holdUser } from '../support/postgres/hold.js';

const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, env: { LOGIN_MAX_FAILURES: '5', REFRESH_RETRY: 'true' }, passwords });
});
afterAll(() => gateway.close());

const now = () => gateway.clock.now();
const seconds = () => now().getTime() / 1000;
const rightCode = (secret: string) => ({ code: codeAt(secret, now()) });

/** What the access token of an answer says of the proof. */
function provedIn(answer: Answer): unknown {
  const { acr, amr, auth_time } = claimsOf(answer.json.access_token);
  return { acr, amr, auth_time };
}

test('Interface 20: without a factor the password confirms the session, which stays with its cookie', async () => {
  const { user, accessToken, refreshToken } = await newcomer(gateway);
  await login(gateway, user.email, WRONG);
  gateway.clock.advance(600);
  const [answer, events] = await auditDuring(gateway, () => confirm(gateway, accessToken, { password: PASSWORD }));
  expect([answer.status, Object.keys(answer.json), answer.cookies]).toEqual([
    200,
    ['access_token', 'token_type', 'expires_in'],
    [],
  ]);
  const { sid, sub } = claimsOf(accessToken);
  const proved = { acr: 'aal1', amr: ['pwd'], auth_time: seconds() };
  expect(claimsOf(answer.json.access_token)).toMatchObject({ sid, sub, role: 'viewer', ...proved });
  expect(events).toMatchObject([
    { event_type: 'session_confirmed', user_id: user.id, ip_address: '127.0.0.1', metadata: { family_id: sid } },
  ]);
  expect(events[0]?.metadata).not.toHaveProperty('factor');
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 1 });
  gateway.clock.advance(60);
  const refreshed = await refresh(gateway, refreshToken);
  expect(claimsOf(refreshed.json.access_token)).toMatchObject({ sid, ...proved });
});

test('Interface 20: with an authenticator app its code confirms, which a refresh keeps', async () => {
  const { user, accessToken, refreshToken, secret } = await withTotp(gateway);
  gateway.clock.advance(600);
  const [answer, events] = await auditDuring(gateway, () => confirm(gateway, accessToken, rightCode(secret)));
  const proved = { acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: seconds() };
  expect([answer.status, provedIn(answer)]).toEqual([200, proved]);
  const { sid } = claimsOf(accessToken);
  expect(events).toMatchObject([
    { event_type: 'session_confirmed', user_id: user.id, metadata: { family_id: sid, factor: 'totp' } },
  ]);
  gateway.clock.advance(60);
  const refreshed = await refresh(gateway, refreshToken);
  expect(provedIn(refreshed)).toEqual(proved);
  expect(provedIn(await refresh(gateway, refreshTokenOf(refreshed)))).toEqual(proved);
});

test('Interface 20: the step of a code is used up by a confirmation, for logins too', async () => {
  const { user, accessToken, secret } = await withTotp(gateway);
  const [one, two] = gateway.two();
  const code = rightCode(secret);
  const challenge = await halfLogin(one, user.email);
  const answers = await Promise.all([one, two, one, two].map((on) => confirm(on, accessToken, code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  expect((await finishLogin(two, challenge, code)).json.reason).toBe('invalid_credentials');
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 4 });
});

test('Interface 20: one of the own passkeys confirms', async () => {
  const first = await withPasskey(gateway);
  const second = await addPasskey(gateway, first);
  await withPasskey(gateway);
  gateway.clock.advance(600);
  const { publicKey } = (await post(gateway, 'confirm/options', {}, first.accessToken)).json;
  const own = [first, second].map(({ authenticator }) => authenticator.passkeys[0]?.id.toString('base64url'));
  expect(publicKey.allowCredentials.map(({ id }: { id: string }) => id).sort()).toEqual(own.sort());
  const [answer, events] = await auditDuring(gateway, () =>
    confirmByPasskey(gateway, first.accessToken, first.authenticator),
  );
  const amr = ['pwd', 'hwk', 'user', 'mfa'];
  expect([answer.status, provedIn(answer)]).toEqual([200, { acr: 'aal2', amr, auth_time: seconds() }]);
  expect(events).toMatchObject([{ event_type: 'session_confirmed', metadata: { factor: 'passkey' } }]);
});

test('Interface 20: without a passkey there are no options, also for a user with an authenticator app', async () => {
  for (const { accessToken } of [await newcomer(gateway), await withTotp(gateway)]) {
    const answer = await post(gateway, 'confirm/options', {}, accessToken);
    expect([answer.status, answer.json.reason]).toEqual([404, 'factor_unknown']);
  }
});

test('Interface 20: a session from before the first factor reaches aal2 by a confirmation, and no other session does', async () => {
  const app = await withTotp(gateway);
  await gateway.rows('update refresh_tokens set amr = null, proved_at = null where user_id = $1', [app.user.id]);
  const other = await logInByCode(gateway, app);
  gateway.clock.advance(30);
  const confirmed = await confirm(gateway, app.accessToken, rightCode(app.secret));
  expect(provedIn(confirmed)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: seconds() });
  const { auth_time } = claimsOf(other.accessToken);
  expect(provedIn(await refresh(gateway, other.refreshToken))).toMatchObject({ auth_time });
});

test('Interface 20: a password is not checked if there is a factor, so that it can be neither guessed nor confirmed', async () => {
  const app = await withTotp(gateway);
  const before = [await userRow(gateway, app.user.id), await recordsOf(gateway, app.user.id)];
  using _held = passwords.hold(); // a password that is checked would wait
  for (const password of [PASSWORD, WRONG]) {
    const [answer, events] = await auditDuring(gateway, () => confirm(gateway, app.accessToken, { password }));
    expect([answer.status, answer.json, events]).toEqual([
      403,
      { detail: 'Second factor required', reason: 'second_factor_required' },
      [],
    ]);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  }
  expect([await userRow(gateway, app.user.id), await recordsOf(gateway, app.user.id)]).toEqual(before);
});

test('Interface 20: a wrong password is 403 and a failed login of the account, until that is locked', async () => {
  const { user, accessToken } = await newcomer(gateway);
  const [answer, events] = await auditDuring(gateway, () => confirm(gateway, accessToken, { password: WRONG }));
  expect([answer.status, answer.json]).toEqual([
    403,
    { detail: 'Password, code or passkey is wrong', reason: 'factor_wrong' },
  ]);
  const metadata = { reason: 'invalid_credentials', email: user.email };
  expect(events).toMatchObject([{ event_type: 'login_failure', user_id: user.id }]);
  expect(events[0]?.metadata).toEqual(metadata);
  for (let i = 0; i < 2; i += 1) expect((await confirm(gateway, accessToken, { password: WRONG })).status).toBe(403);
  for (let i = 0; i < 2; i += 1) expect((await login(gateway, user.email, WRONG)).status).toBe(401);
  const [locked, afterwards] = await auditDuring(gateway, () => confirm(gateway, accessToken, { password: PASSWORD }));
  expect([locked.status, locked.json.reason, locked.headers['retry-after']]).toEqual([429, 'account_locked', '900']);
  expect(afterwards.map(({ event_type }) => event_type)).toEqual(['account_locked']);
  expect((await login(gateway, user.email)).status).toBe(429);
});

test('Interface 20: wrong codes of confirmations and logins, and passwords, share one count over all instances', async () => {
  const { user, accessToken, refreshToken, secret } = await withTotp(gateway);
  const challenge = await halfLogin(gateway, user.email);
  const code = wrongCode(secret, now());
  const guesses: Array<(on: TestGateway['instances'][number]) => Promise<Answer>> = [
    (on) => confirm(on, accessToken, { code }),
    (on) => finishLogin(on, challenge, { code }),
    (on) => finishLogin(on, challenge, { recovery_code: 'wrong' }),
    (on) => login(on, user.email, WRONG),
  ];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => guesses[i % 4]?.(gateway.instances[i % 2] ?? gateway)),
  );
  const statuses = answers.map((answer) => answer?.status);
  expect(statuses.filter((status) => status === 401 || status === 403)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(35);
  expect((await userRow(gateway, user.id)).failed_login_attempts).toBe(5);
  for (const attempt of [
    () => confirm(gateway, accessToken, rightCode(secret)),
    () => finishLogin(gateway, challenge, rightCode(secret)),
  ]) {
    expect((await attempt()).status).toBe(429);
  }
  gateway.clock.advance(900);
  const renewed = (await refresh(gateway, refreshToken)).json.access_token;
  expect((await confirm(gateway, renewed, rightCode(secret))).status).toBe(200);
});

test('Interface 20: a wrong passkey is 403, written, and counted for nobody', async () => {
  const { user, accessToken, authenticator } = await withPasskey(gateway);
  for (let i = 0; i < 6; i += 1) {
    const [answer, events] = await auditDuring(gateway, () =>
      confirmByPasskey(gateway, accessToken, authenticator, (draft) => {
        draft.signatureBytes = () => Buffer.alloc(70);
      }),
    );
    expect([answer.status, answer.json.reason]).toEqual([403, 'factor_wrong']);
    const metadata = { reason: 'invalid_credentials', email: user.email, factor: 'passkey' };
    expect(events).toMatchObject([{ event_type: 'login_failure', user_id: user.id, metadata }]);
  }
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });
  expect((await confirmByPasskey(gateway, accessToken, authenticator)).status).toBe(200);
});

test('Interface 20: a code without an authenticator app is wrong, and a recovery code is no confirmation', async () => {
  const [plain, key] = [await newcomer(gateway), await withPasskey(gateway)];
  for (const { accessToken, user } of [plain, key]) {
    const answer = await confirm(gateway, accessToken, { code: '123456' });
    expect([answer.status, answer.json.reason]).toEqual([403, 'factor_wrong']);
    expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 1 });
  }
  expect((await confirm(gateway, key.accessToken, { recovery_code: key.recoveryCodes[0] })).status).toBe(422);
});

const ENDINGS: Array<[what: string, end: (session: SignedIn) => Promise<unknown>]> = [
  ['a logout', ({ refreshToken }) => logout(gateway, refreshToken)],
  [
    'a theft',
    async ({ refreshToken }) => {
      await refresh(gateway, refreshToken);
      await refresh(gateway, refreshToken);
    },
  ],
  ['a deactivation', ({ user }) => setUserActive(gateway.app, COMMAND_LINE, user.id, false)],
  ["an operator's password", ({ user }) => setUserPassword(gateway.app, COMMAND_LINE, user.id, CHOSEN)],
  ['a deletion', ({ user }) => deleteUser(gateway.app, COMMAND_LINE, user.id)],
  ['its time', async () => gateway.clock.advance(15 * 86_400)],
];

test.each(ENDINGS)('Interface 20: after %s nothing confirms the session', async (what, end) => {
  const key = await withPasskey(gateway);
  const options = (await post(gateway, 'confirm/options', {}, key.accessToken)).json;
  const plain = await newcomer(gateway);
  await end(key);
  await end(plain);
  const credential = key.authenticator.get(options.publicKey);
  const attempts = [
    () => confirm(gateway, plain.accessToken, { password: PASSWORD }),
    () => confirm(gateway, key.accessToken, { ceremony: options.ceremony, credential }),
    () => confirm(gateway, key.accessToken, { code: '123456' }),
    () => post(gateway, 'confirm/options', {}, key.accessToken),
    () => post(gateway, 'factors/totp', {}, plain.accessToken),
  ];
  for (const attempt of attempts) {
    const [answer, events] = await auditDuring(gateway, attempt);
    expect([what, answer.status, answer.json.reason, events]).toEqual([what, 401, 'invalid_token', []]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="auth-gateway", error="invalid_token"/);
  }
});

test('Interface 12: a retried refresh has the proof that the session has now', async () => {
  const app = await withTotp(gateway);
  gateway.clock.advance(600);
  const key = newKey();
  const successor = await rotated(gateway, app.refreshToken, retryField(key));
  const before = await refresh(gateway, app.refreshToken, retryField(key));
  expect(before.headers['refresh-retry']).toBe('this');
  expect(provedIn(before)).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  expect((await confirm(gateway, app.accessToken, rightCode(app.secret))).status).toBe(200);
  const after = await refresh(gateway, app.refreshToken, retryField(newKey(), key));
  expect(after.headers['refresh-retry']).toBe('previous');
  expect(provedIn(after)).toEqual({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'], auth_time: seconds() });
  expect(provedIn(await refresh(gateway, successor))).toEqual(provedIn(after));
});

test('Interface 20: after the last factor is gone a password confirms, and the session steps down to aal1', async () => {
  const { accessToken, refreshToken, factorId } = await withTotp(gateway);
  expect((await removeFactor(gateway, accessToken, factorId)).status).toBe(204);
  gateway.clock.advance(600);
  const answer = await confirm(gateway, accessToken, { password: PASSWORD });
  const proved = { acr: 'aal1', amr: ['pwd'], auth_time: seconds() };
  expect([answer.status, provedIn(answer)]).toEqual([200, proved]);
  expect(provedIn(await refresh(gateway, refreshToken))).toEqual(proved);
});

test('Interface 20: a password that was being checked when the first factor was added confirms nothing, and counts for nobody', async () => {
  const user = await gateway.user();
  const [session, other] = [await signIn(gateway, user), await signIn(gateway, user)];
  using held = passwords.hold();
  const waiting = confirm(gateway, session.accessToken, { password: PASSWORD });
  await held.reached(1);
  await addPasskey(gateway, other);
  const [answer, events] = await auditDuring(gateway, () => {
    held.release();
    return waiting;
  });
  expect([answer.status, answer.json.reason, events]).toEqual([403, 'second_factor_required', []]);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0 });
  expect(provedIn(await refresh(gateway, session.refreshToken))).toMatchObject({ acr: 'aal1' });
});

test('Interface 20: a password that was being checked when the account was locked confirms nothing', async () => {
  const { user, accessToken, refreshToken } = await newcomer(gateway);
  const { auth_time } = claimsOf(accessToken);
  gateway.clock.advance(60);
  using held = passwords.hold();
  const waiting = confirm(gateway, accessToken, { password: PASSWORD });
  await held.reached(1);
  await gateway.rows('update users set locked_until = $2 where id = $1', [user.id, new Date(now().getTime() + 60_000)]);
  held.release();
  const answer = await waiting;
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60']);
  expect(provedIn(await refresh(gateway, refreshToken))).toMatchObject({ auth_time });
});

test('Interface 20: a password that was being checked when the session ended confirms nothing', async () => {
  const { accessToken, refreshToken } = await newcomer(gateway);
  using held = passwords.hold();
  const waiting = confirm(gateway, accessToken, { password: PASSWORD });
  await held.reached(1);
  await logout(gateway, refreshToken);
  held.release();
  const answer = await waiting;
  expect([answer.status, answer.json.reason]).toEqual([401, 'invalid_token']);
});

test('Interface 20: a right code whose user is deactivated before it is noted is 401, and no failed login', async () => {
  const { user, accessToken, secret } = await withTotp(gateway);
  await using deactivation = await holdUser(gateway, user.id, 'is_active = false');
  const [answer, events] = await auditDuring(gateway, async () => {
    const waiting = confirm(gateway, accessToken, rightCode(secret));
    await deactivation.waiting(1);
    await deactivation.release();
    return waiting;
  });
  expect([answer.status, answer.json.reason, events]).toEqual([401, 'invalid_token', []]);
  expect(await userRow(gateway, user.id)).toMatchObject({ failed_login_attempts: 0 });
});
