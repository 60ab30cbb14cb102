/** Factors end by their owner alone, or by an operator: never by a new password. Half logins end with what they rest on. (Interface 20) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resetFactors } from '../../src/admin/factors.js';
import { deleteUser, setUserActive, setUserEmail, setUserPassword } from '../../src/admin/user-changes.js';
import {
  addPasskey,
  codeAt,
  confirm,
  finishLogin,
  halfLogin,
  logInByCode,
  logInByPasskey,
  post,
  removeFactor,
  type WithTotp,
  withPasskey,
  withTotp,
  wrongCode,
} from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { CHOSEN, changePassword, issueLink, redeem } from '../support/gateway/passwords.js';
import { quickPasswords } from '../support/gateway/quick-passwords.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, userRow } from '../support/gateway/rows.js';

const passwords = quickPasswords();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ instances: 2, passwords, env: { LOGIN_MAX_FAILURES: '5' } });
});
afterAll(() => gateway.close());

const now = () => gateway.clock.now();
const rightCode = ({ secret }: WithTotp) => ({ code: codeAt(secret, now()) });

/** Rows of Interface 20 that belong to a user, by table. */
async function rowsOf(userId: string): Promise<Record<string, number>> {
  const counted = ['factors', 'recovery_codes', 'ceremonies'].map(async (table) => {
    const found = await gateway.rows(`select 1 from ${table} where user_id = $1`, [userId]);
    return [table, found.length] as const;
  });
  return Object.fromEntries(await Promise.all(counted));
}

test('Interface 20: a factor is removed by its owner, and the other one keeps the recovery codes', async () => {
  const app = await withTotp(gateway);
  const key = await addPasskey(gateway, app);
  const [answer, events] = await auditDuring(gateway, () => removeFactor(gateway, app.accessToken, app.factorId));
  expect([answer.status, answer.text, answer.cookies]).toEqual([204, '', []]);
  expect(events).toMatchObject([
    {
      event_type: 'factor_removed',
      user_id: app.user.id,
      metadata: { factor_id: app.factorId, kind: 'totp', family_id: claimsOf(app.accessToken)['sid'] },
    },
  ]);
  expect(await rowsOf(app.user.id)).toMatchObject({ factors: 1, recovery_codes: 10 });
  expect((await login(gateway, app.user.email)).json.factors).toEqual(['passkey', 'recovery_code']);
  expect((await logInByPasskey(gateway, key.authenticator)).status).toBe(200);
  const again = await removeFactor(gateway, app.accessToken, app.factorId);
  expect([again.status, again.json.reason]).toEqual([404, 'factor_unknown']);
});

test('Interface 20: the removal of the last factor ends recovery codes and half logins, and a login is one step again', async () => {
  const app = await withTotp(gateway);
  const challenge = await halfLogin(gateway, app.user.email);
  expect((await removeFactor(gateway, app.accessToken, app.factorId)).status).toBe(204);
  expect(await rowsOf(app.user.id)).toEqual({ factors: 0, recovery_codes: 0, ceremonies: 0 });
  expect(await userRow(gateway, app.user.id)).toMatchObject({ has_factors: false });
  for (const proof of [rightCode(app), { recovery_code: app.recoveryCodes[0] }]) {
    const [answer, events] = await auditDuring(gateway, () => finishLogin(gateway, challenge, proof));
    expect([answer.status, answer.json.reason, events]).toEqual([401, 'challenge_invalid', []]);
  }
  const answer = await login(gateway, app.user.email);
  expect([answer.status, claimsOf(answer.json.access_token)['acr']]).toEqual([200, 'aal1']);
  const kept = await refresh(gateway, app.refreshToken);
  expect(claimsOf(kept.json.access_token)).toMatchObject({ acr: 'aal2' }); // what this session has proved
});

test('Interface 20: old recovery codes are good for nothing after a new first factor', async () => {
  const app = await withTotp(gateway);
  await removeFactor(gateway, app.accessToken, app.factorId);
  const key = await addPasskey(gateway, app);
  expect(key.recoveryCodes.filter((code) => app.recoveryCodes.includes(code))).toEqual([]);
  const challenge = await halfLogin(gateway, app.user.email);
  for (const recovery_code of app.recoveryCodes.slice(0, 2)) {
    expect((await finishLogin(gateway, challenge, { recovery_code })).json.reason).toBe('invalid_credentials');
  }
  expect((await finishLogin(gateway, challenge, { recovery_code: key.recoveryCodes[0] })).status).toBe(200);
});

test("Interface 20: the ids of other users' factors are unknown, as are ids that are none", async () => {
  const [owner, other] = [await withTotp(gateway), await withTotp(gateway)];
  for (const id of [owner.factorId, 'x', '%00', owner.factorId.slice(1), `${owner.factorId}%20`]) {
    const [answer, events] = await auditDuring(gateway, () => removeFactor(gateway, other.accessToken, id));
    expect([id, answer.status, answer.json.reason, events]).toEqual([id, 404, 'factor_unknown', []]);
  }
  expect(await rowsOf(owner.user.id)).toMatchObject({ factors: 1, recovery_codes: 10 });
  expect((await removeFactor(gateway, owner.accessToken, owner.factorId.toUpperCase())).status).toBe(204);
});

test('Interface 20: of several removals at once over two instances one is answered 204', async () => {
  const app = await withTotp(gateway);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      removeFactor(gateway.instances[i % 2] ?? gateway, app.accessToken, app.factorId),
    ),
  );
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
  expect(answers.filter(({ json }) => json?.reason === 'factor_unknown')).toHaveLength(7);
});

type Change = (user: WithTotp) => Promise<unknown>;

const NEW_PASSWORDS: Array<[what: string, change: Change]> = [
  ['a reset link', async ({ user }) => redeem(gateway, await issueLink(gateway, user.id))],
  ['an invitation', async ({ user }) => redeem(gateway, await issueLink(gateway, user.id, 'invitation'))],
  ['an own change', ({ accessToken }) => changePassword(gateway, accessToken)],
  ["an operator's password", ({ user }) => setUserPassword(gateway.app, COMMAND_LINE, user.id, CHOSEN)],
];

test.each(NEW_PASSWORDS)('Interface 20: after %s the next login asks for the factor', async (_what, change) => {
  const app = await withTotp(gateway);
  await change(app);
  expect(await rowsOf(app.user.id)).toMatchObject({ factors: 1, recovery_codes: 10 });
  const challenge = await halfLogin(gateway, app.user.email, CHOSEN);
  gateway.clock.advance(30);
  expect((await finishLogin(gateway, challenge, rightCode(app))).status).toBe(200);
});

test.each(NEW_PASSWORDS.slice(0, 3))(
  'Interface 20: %s leaves the count of failures, so that a mailbox gives no further guesses of a code',
  async (_what, change) => {
    const app = await withTotp(gateway);
    const challenge = await halfLogin(gateway, app.user.email);
    for (let i = 0; i < 3; i += 1) await finishLogin(gateway, challenge, { code: wrongCode(app.secret, now()) });
    await change(app);
    expect(await userRow(gateway, app.user.id)).toMatchObject({ failed_login_attempts: 3, password_version: 1 });
  },
);

test('Interface 20: a reset link unlocks no account with a factor, and one without a factor as ever', async () => {
  const app = await withTotp(gateway);
  const challenge = await halfLogin(gateway, app.user.email);
  for (let i = 0; i < 5; i += 1) await finishLogin(gateway, challenge, { code: wrongCode(app.secret, now()) });
  expect((await redeem(gateway, await issueLink(gateway, app.user.id))).status).toBe(204);
  expect((await login(gateway, app.user.email, CHOSEN)).status).toBe(429);
  const plain = await gateway.user();
  for (let i = 0; i < 5; i += 1) await login(gateway, plain.email, 'wrong');
  await redeem(gateway, await issueLink(gateway, plain.id));
  expect((await login(gateway, plain.email, CHOSEN)).status).toBe(200);
});

const ENDINGS: Array<[what: string, end: Change]> = [
  ...NEW_PASSWORDS,
  ['a deactivation', ({ user }) => setUserActive(gateway.app, COMMAND_LINE, user.id, false)],
  [
    'a deactivation and an activation',
    async ({ user }) => {
      await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
      await setUserActive(gateway.app, COMMAND_LINE, user.id, true);
    },
  ],
  ['a deletion', ({ user }) => deleteUser(gateway.app, COMMAND_LINE, user.id)],
  ['a reset of the factors', ({ user }) => resetFactors(gateway.app, COMMAND_LINE, user.id)],
];

test.each(ENDINGS)('Interface 20: %s ends half logins, also of the right code', async (what, end) => {
  const app = await withTotp(gateway);
  const challenge = await halfLogin(gateway, app.user.email);
  await end(app);
  for (const proof of [rightCode(app), { recovery_code: app.recoveryCodes[0] }]) {
    const [answer, events] = await auditDuring(gateway, () => finishLogin(gateway, challenge, proof));
    expect([what, answer.status, answer.json.reason, answer.cookies, events]).toEqual([
      what,
      401,
      'challenge_invalid',
      [],
      [],
    ]);
  }
});

test('Interface 20: a theft and a changed e-mail leave the half logins of other browsers alive', async () => {
  const app = await withTotp(gateway);
  const challenge = await halfLogin(gateway, app.user.email);
  await refresh(gateway, app.refreshToken);
  expect((await refresh(gateway, app.refreshToken)).json.reason).toBe('record_revoked');
  await setUserEmail(gateway.app, COMMAND_LINE, app.user.id, `new.${app.user.email}`);
  expect((await finishLogin(gateway, challenge, rightCode(app))).status).toBe(200);
});

test('Interface 20: a deletion removes everything of this section', async () => {
  const app = await withTotp(gateway);
  await addPasskey(gateway, app);
  await halfLogin(gateway, app.user.email);
  await post(gateway, 'confirm/options', {}, app.accessToken);
  expect(await rowsOf(app.user.id)).toEqual({ factors: 2, recovery_codes: 10, ceremonies: 2 });
  await deleteUser(gateway.app, COMMAND_LINE, app.user.id);
  expect(await rowsOf(app.user.id)).toEqual({ factors: 0, recovery_codes: 0, ceremonies: 0 });
});

test('Interface 20: a new user with the e-mail of a deleted one has neither factor nor half login of theirs', async () => {
  const key = await withPasskey(gateway);
  const challenge = await halfLogin(gateway, key.user.email);
  await deleteUser(gateway.app, COMMAND_LINE, key.user.id);
  const { email } = await gateway.user({ email: key.user.email });
  expect((await finishLogin(gateway, challenge, { recovery_code: key.recoveryCodes[0] })).status).toBe(401);
  expect((await logInByPasskey(gateway, key.authenticator)).status).toBe(401);
  expect((await login(gateway, email)).status).toBe(200);
});

test('Interface 20: a login whose password was being checked when the first factor was added has a second step', async () => {
  const { user, accessToken, refreshToken, as } = await newcomer(gateway);
  using held = passwords.hold();
  const waiting = login(gateway, user.email);
  await held.reached(1);
  const key = await addPasskey(gateway, { user, accessToken, refreshToken, as });
  held.release();
  const answer = await waiting;
  expect([answer.status, answer.json.reason, answer.cookies]).toEqual([401, 'second_factor_required', []]);
  expect(answer.json.factors).toEqual(['passkey', 'recovery_code']);
  const proof = { recovery_code: key.recoveryCodes[0] };
  expect((await finishLogin(gateway, answer.json.challenge, proof)).status).toBe(200);
});

test('Interface 20: a login whose password was being checked when the last factor was removed starts a session', async () => {
  const app = await withTotp(gateway);
  using held = passwords.hold();
  const waiting = login(gateway, app.user.email);
  await held.reached(1);
  await removeFactor(gateway, app.accessToken, app.factorId);
  held.release();
  const answer = await waiting;
  expect([answer.status, claimsOf(answer.json.access_token)['acr']]).toEqual([200, 'aal1']);
});

test('Interface 20: a right password that was being checked when the user was deactivated gives no challenge', async () => {
  const app = await withTotp(gateway);
  using held = passwords.hold();
  const waiting = login(gateway, app.user.email);
  await held.reached(1);
  await setUserActive(gateway.app, COMMAND_LINE, app.user.id, false);
  const [answer, events] = await auditDuring(gateway, () => {
    held.release();
    return waiting;
  });
  expect([answer.status, answer.json]).toEqual([401, { detail: 'Invalid credentials', reason: 'invalid_credentials' }]);
  expect(events).toMatchObject([{ event_type: 'login_failure' }]);
});

test('Interface 20: a half login does not outlive an own change of the password, whose session goes on', async () => {
  const app = await withTotp(gateway);
  const session = await logInByCode(gateway, app);
  const challenge = await halfLogin(gateway, app.user.email);
  expect((await changePassword(gateway, session.accessToken, CHOSEN, PASSWORD)).status).toBe(200);
  gateway.clock.advance(30);
  expect((await finishLogin(gateway, challenge, rightCode(app))).json.reason).toBe('challenge_invalid');
  expect((await confirm(gateway, session.accessToken, rightCode(app))).status).toBe(200);
});
