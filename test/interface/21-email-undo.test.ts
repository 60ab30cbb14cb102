/** The former address takes a change of the e-mail back within 72 hours, which ends everything. (Interface 21) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserEmail, setUserPassword } from '../../src/admin/user-changes.js';
import {
  beginChange,
  type Changed,
  changeEmail,
  newAddress,
  redeemEmail,
  requestEmail,
  startUnmailed,
  undoEmail,
  withChangedEmail,
} from '../support/gateway/account.js';
import { handClock } from '../support/gateway/clock.js';
import { finishLogin, halfLogin, withTotp } from '../support/gateway/factors.js';
import { type Answer, PASSWORD, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { newcomer, signIn } from '../support/gateway/graphql.js';
import { CHOSEN, changePassword, check, issueLink, redeem } from '../support/gateway/passwords.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow } from '../support/gateway/rows.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startUnmailed({ env: { KNOWN_DEVICES: 'on' } });
});
afterAll(() => gateway.close());

const HOURS_72 = 72 * 3_600;
const HOUR_MS = 3_600_000;

async function expectDead(link: string): Promise<void> {
  const [answer, events] = await auditDuring(gateway, () => undoEmail(gateway, link));
  expect([answer.status, answer.json, answer.headers['www-authenticate'], events]).toEqual([
    401,
    { detail: 'Link is not valid', reason: 'link_invalid' },
    'Cookie realm="auth-gateway", form-action="/auth/login", cookie-name="refresh_token"',
    [],
  ]);
}

function expectUndone({ status, text, cookies }: Answer): void {
  expect([status, text, cookies]).toEqual([204, '', []]);
}

const emailOf = async ({ user }: Pick<Changed, 'user'>): Promise<string> => (await userRow(gateway, user.id)).email;

test('Interface 21: it brings the old address back, ends sessions and the password, and asks for a reset', async () => {
  const person = await withChangedEmail(gateway);
  await signIn(gateway, { ...person.user, email: person.email });
  const [answer, events] = await auditDuring(gateway, () => undoEmail(gateway, person.wayBack));
  expectUndone(answer);
  const about = { user_id: person.user.id };
  expect(events.sort((a, b) => a.event_type.localeCompare(b.event_type))).toMatchObject([
    {
      ...about,
      event_type: 'email_change_undone',
      metadata: { from: person.email, to: person.former, sessions_ended: 2 },
    },
    { ...about, event_type: 'password_reset_requested', metadata: { email: person.former } },
  ]);
  expect(await userRow(gateway, person.user.id)).toMatchObject({
    email: person.former,
    password_hash: null,
    password_chosen_by_user: false,
  });
  const records = await recordsOf(gateway, person.user.id);
  expect(records.map(({ revoked, revoked_reason }) => [revoked, revoked_reason])).toEqual(
    Array(2).fill([true, 'email_change_undone']),
  );
  expect((await refresh(gateway, person.refreshToken)).json.reason).toBe('record_revoked');
  expect((await requestEmail(gateway, person.accessToken, newAddress())).json.reason).toBe('invalid_token');
  for (const email of [person.former, person.email]) {
    expect((await login(gateway, email, PASSWORD)).json.reason).toBe('invalid_credentials');
  }
});

test('Interface 21: it ends half logins, devices, password links and a pending change; factors stay', async () => {
  const app = await withTotp(gateway);
  const { user, recoveryCodes } = app;
  const person = await changeEmail(gateway, app);
  const ofUser = async (table: string) =>
    (await gateway.rows(`select from ${table} where user_id = $1`, [user.id])).length;
  const [first, recovery_code] = recoveryCodes;
  await finishLogin(gateway, await halfLogin(gateway, person.email), { recovery_code: first });
  const challenge = await halfLogin(gateway, person.email);
  const passwordLink = await issueLink(gateway, user.id);
  await beginChange(gateway, app);
  const ended = ['known_devices', 'ceremonies', 'email_changes', 'email_undos', 'password_links'];
  for (const table of ended) expect([table, (await ofUser(table)) > 0]).toEqual([table, true]);

  expectUndone(await undoEmail(gateway, person.wayBack));
  expect((await finishLogin(gateway, challenge, { recovery_code })).json.reason).toBe('challenge_invalid');
  expect((await check(gateway, passwordLink)).status).toBe(401);
  for (const table of ended) expect([table, await ofUser(table)]).toEqual([table, 0]);
  expect([await ofUser('factors'), await ofUser('recovery_codes')]).toEqual([1, 9]);
});

test('Interface 21: it works for 72 hours', async () => {
  const [first, second] = [await withChangedEmail(gateway), await withChangedEmail(gateway)];
  gateway.clock.advance(HOURS_72 - 3);
  expectUndone(await undoEmail(gateway, first.wayBack));
  gateway.clock.advance(2);
  await expectDead(second.wayBack);
  expect(await emailOf(second)).toBe(second.email);
});

test('Interface 21: it works once, and a newer change has a link of its own', async () => {
  const person = await withChangedEmail(gateway);
  expectUndone(await undoEmail(gateway, person.wayBack));
  await expectDead(person.wayBack);
  await setUserPassword(gateway.app, COMMAND_LINE, person.user.id, CHOSEN);
  const again = await changeEmail(gateway, await signIn(gateway, person.user, CHOSEN));
  await expectDead(person.wayBack);
  expectUndone(await undoEmail(gateway, again.wayBack));
});

test('Interface 21: it ends the ways back from later changes', async () => {
  const first = await withChangedEmail(gateway);
  const second = await changeEmail(gateway, first);
  const third = await changeEmail(gateway, second);
  expectUndone(await undoEmail(gateway, second.wayBack));
  expect(await emailOf(first)).toBe(second.former);
  await expectDead(third.wayBack);
  expectUndone(await undoEmail(gateway, first.wayBack));
  expect(await emailOf(first)).toBe(first.former);
});

test('Interface 21: the first way back undoes all changes at once', async () => {
  const first = await withChangedEmail(gateway);
  const second = await changeEmail(gateway, first);
  expectUndone(await undoEmail(gateway, first.wayBack));
  expect(await emailOf(first)).toBe(first.former);
  await expectDead(second.wayBack);
});

test('Interface 21: a user who changes the e-mail back by themselves can still take it back', async () => {
  const first = await withChangedEmail(gateway);
  const second = await changeEmail(gateway, first, first.former);
  expect(await emailOf(first)).toBe(first.former);
  expectUndone(await undoEmail(gateway, second.wayBack));
  expect(await emailOf(first)).toBe(second.former);
  expectUndone(await undoEmail(gateway, first.wayBack));
  expect(await emailOf(first)).toBe(first.former);
});

/** What the one who changed the e-mail can do does not keep the former address from taking it back. */
const BY_USERS: Array<[what: string, act: (person: Changed) => Promise<Answer>]> = [
  ['a new password', ({ accessToken }) => changePassword(gateway, accessToken)],
  ['a reset link', async ({ user }) => redeem(gateway, await issueLink(gateway, user.id))],
  ['another change', async (person) => redeemEmail(gateway, person.accessToken, await beginChange(gateway, person))],
];

test.each(BY_USERS)('Interface 21: %s does not end the way back', async (_what, act) => {
  const person = await withChangedEmail(gateway);
  expect((await act(person)).status).toBeLessThan(300);
  expectUndone(await undoEmail(gateway, person.wayBack));
  expect(await emailOf(person)).toBe(person.former);
});

test('Interface 21: an operator’s password and a lock do not end it either', async () => {
  const person = await withChangedEmail(gateway);
  await setUserPassword(gateway.app, COMMAND_LINE, person.user.id, CHOSEN);
  await gateway.rows(`update users set locked_until = '2100-01-01' where id = $1`, [person.user.id]);
  expectUndone(await undoEmail(gateway, person.wayBack));
});

const BY_OPERATORS: Array<[what: string, act: (person: Changed) => Promise<unknown>]> = [
  ['deactivation', ({ user }) => setUserActive(gateway.app, COMMAND_LINE, user.id, false)],
  [
    'deactivation and activation',
    async ({ user }) => {
      await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
      await setUserActive(gateway.app, COMMAND_LINE, user.id, true);
    },
  ],
  ['an operator’s change of the e-mail', ({ user }) => setUserEmail(gateway.app, COMMAND_LINE, user.id, newAddress())],
  ['deletion', ({ user }) => deleteUser(gateway.app, COMMAND_LINE, user.id)],
];

test.each(BY_OPERATORS)('Interface 21: after %s the way back is dead', async (_what, act) => {
  const person = await withChangedEmail(gateway);
  await act(person);
  const state = () => gateway.rows('select * from users where id = $1', [person.user.id]);
  const before = await state();
  await expectDead(person.wayBack);
  expect(await state()).toEqual(before);
});

test('Interface 21: links and tokens of other kinds are dead', async () => {
  const person = await newcomer(gateway);
  const link = await beginChange(gateway, person);
  const passwordLink = await issueLink(gateway, person.user.id);
  for (const token of [link, passwordLink, person.refreshToken, '', 'eu_', 'eu_\0', '\ud800', 'x'.repeat(10_000)])
    await expectDead(token);
  expect((await redeemEmail(gateway, person.accessToken, link)).status).toBe(200);
});

test('Interface 21: it ends the way back of a later change, also if the instance of that one has a clock behind', async () => {
  const first = await withChangedEmail(gateway);
  const clock = handClock(new Date(gateway.clock.now().getTime() - 60_000));
  const behind = await startInstance(gateway.database, {
    env: { ACCOUNT: 'on', MAIL: 'log' },
    clock,
    outboxPollMs: HOUR_MS,
  });
  try {
    const second = await changeEmail({ ...gateway, ...behind }, first);
    expect(second.former).toBe(first.email);
    expectUndone(await undoEmail(gateway, first.wayBack));
    const dead = await undoEmail(gateway, second.wayBack); // the mail of that instance writes events meanwhile
    expect([dead.status, dead.json]).toEqual([401, { detail: 'Link is not valid', reason: 'link_invalid' }]);
    expect(await emailOf(first)).toBe(first.former);
  } finally {
    await behind.close();
  }
});
