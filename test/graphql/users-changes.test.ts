/** Administrative changes of users; each change and its audit event are committed together. (Interface 11) */

import { COMMAND_LINE } from '../../src/admin/administer.js';
import { issuePasswordLink } from '../../src/admin/password-links.js';
import { writeBreached } from '../support/breached.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type As, ask, newApiKey, newCronKey, newcomer, type SignedIn, signIn } from '../support/gateway/graphql.js';
import { CHOSEN, redeem } from '../support/gateway/passwords.js';
import { login, refresh } from '../support/gateway/routes.js';
import { auditDuring, recordsOf, userRow, wholeState } from '../support/gateway/rows.js';
import { refusesRows, withFault } from '../support/postgres/faults.js';

let gateway: TestGateway;
let admin: SignedIn;
beforeAll(async () => {
  const env = { TRUST_PROXY: '127.0.0.1', LOGIN_MAX_FAILURES: '1', BREACHED_PASSWORDS: writeBreached([BREACHED]) };
  gateway = await startGateway({ env });
  admin = await newcomer(gateway, 'admin');
});
afterAll(() => gateway.close());

const CREATE = `mutation ($input: CreateUserInput!) {
  createUser(input: $input) { user { id email role isActive sessions { nodes { id } } } }
}`;
const SET_ROLE = 'mutation ($input: SetUserRoleInput!) { setUserRole(input: $input) { user { id role } } }';
const SET_EMAIL = 'mutation ($input: SetUserEmailInput!) { setUserEmail(input: $input) { user { id email } } }';
const SET_ACTIVE = `mutation ($input: SetUserActiveInput!) {
  setUserActive(input: $input) { user { id isActive } revokedSessionCount }
}`;
const UNLOCK = `mutation ($input: UnlockUserInput!) {
  unlockUser(input: $input) { user { id lockedUntil failedLoginAttempts } }
}`;
const SET_PASSWORD = `mutation ($input: SetUserPasswordInput!) {
  setUserPassword(input: $input) { user { id } revokedSessionCount }
}`;

const fifteen = 'fifteen letters';
const BREACHED = 'fifteen letters, breached';
const actor = () => ({ caller_type: 'user', sub: admin.user.id });

/** The same caller with this address and user agent. */
const from =
  (as: As): As =>
  (body) => ({ ...as(body), 'x-forwarded-for': '192.0.2.9', 'user-agent': 'Dashboard/1' });

/** The answer and the new events. Each event has the address and user agent of the request. */
async function change(text: string, input: object, as: As = admin.as) {
  const [answer, written] = await auditDuring(gateway, () => ask(gateway, from(as), text, { input }));
  const events = written.map(({ event_type, user_id, metadata, ...rest }) => {
    const common = { entity_type: 'user', ip_address: '192.0.2.9', user_agent: 'Dashboard/1' };
    expect(rest).toEqual({ ...common, created_at: gateway.clock.now() });
    return { event_type, user_id, metadata };
  });
  return { ...answer, events };
}

/** The answer has this reason; nothing is changed, no event is written, and the password is not repeated. */
async function refused(
  text: string,
  input: { password?: string; [field: string]: unknown },
  { argument, ...extensions }: { code: string; reason: string; argument?: string },
) {
  const before = await wholeState(gateway);
  const answer = await ask(gateway, admin.as, text, { input });
  expect(answer).toMatchObject({ status: 200, ...extensions });
  expect(answer.errors[0]?.extensions['argument']).toBe(argument);
  if (input.password) expect(answer.text).not.toContain(input.password);
  expect(await wholeState(gateway)).toEqual(before);
}

test('Interface 11: creates a user with a normalised e-mail, who can log in', async () => {
  const input = { email: ' New.User@Example.COM ', password: fifteen, role: 'analyst' };
  const { data, events } = await change(CREATE, input);
  const { id } = data.createUser.user;
  const [email, role] = ['new.user@example.com', 'analyst'];
  expect(data.createUser.user).toEqual({ id, email, role, isActive: true, sessions: { nodes: [] } });
  expect(events).toEqual([{ event_type: 'user_created', user_id: id, metadata: { actor: actor(), email, role } }]);
  expect((await login(gateway, 'new.user@example.com', fifteen)).status).toBe(200);
});

const INVALID_EMAIL = { code: 'BAD_USER_INPUT', reason: 'invalid_email', argument: 'email' };
const EMAIL_TAKEN = { code: 'CONFLICT', reason: 'email_taken', argument: 'email' };
const badPassword = (reason: string) => ({ code: 'BAD_USER_INPUT', reason, argument: 'password' });
const USER_UNKNOWN = { code: 'NOT_FOUND', reason: 'user_unknown' };

test.each(['', 'x', 'a@b', 'a b@example.com', 'a@example.com\n,b@example.com', `${'a'.repeat(65)}@example.com`])(
  'Interface 11: refuses to create a user with the e-mail %j',
  (email) => refused(CREATE, { email, password: fifteen, role: 'viewer' }, INVALID_EMAIL),
);

test('Interface 11: refuses a second user with an e-mail in any case, also in simultaneous requests', async () => {
  const { email } = await gateway.user();
  await refused(CREATE, { email: email.toUpperCase(), password: fifteen, role: 'viewer' }, EMAIL_TAKEN);
  const input = { email: 'twice@example.com', password: fifteen, role: 'viewer' };
  const answers = await Promise.all([1, 2, 3].map(() => ask(gateway, admin.as, CREATE, { input })));
  expect(answers.map(({ reason }) => reason).sort()).toEqual(['email_taken', 'email_taken', undefined]);
});

const BAD_PASSWORDS: Array<[string, string, string]> = [
  ['of 14 characters', 'too_short', 'fourteen chars'],
  ['of 1025 bytes', 'too_long', `${'é'.repeat(512)}e`],
  ['made of the host', 'context', 'localhost 1234567'],
  ['that is common in another case', 'common', '1Q2W3E4R5T6Y7U8I'],
  ['that was breached', 'breached', BREACHED],
];
test.each(BAD_PASSWORDS)('Interface 11: refuses a password %s', async (_what, reason, password) => {
  const { id } = await gateway.user();
  const email = 'nobody-yet@example.com';
  await refused(CREATE, { email, password, role: 'viewer' }, badPassword(reason));
  await refused(SET_PASSWORD, { id, password }, badPassword(reason));
});

test('Interface 15: refuses a password that is little more than the e-mail of the user', async () => {
  const { id, email } = await gateway.user({ email: 'ada.lovelace@example.com' });
  for (const password of [email, 'Ada Lovelace 1815!', 'ada_lovelace-EXAMPLE.com']) {
    await refused(SET_PASSWORD, { id, password }, badPassword('context'));
  }
  await refused(
    CREATE,
    { email: 'grace.hopper@example.com', password: 'Grace.Hopper.1906', role: 'viewer' },
    badPassword('context'),
  );
});

test('Interface 15: refuses the current password of a user', async () => {
  const { id } = await gateway.user({ password: fifteen });
  await refused(SET_PASSWORD, { id, password: fifteen }, badPassword('current'));
});

test("Interface 15: a caller who may not set an administrator's password cannot guess it either", async () => {
  const { id } = await gateway.user({ role: 'admin', password: fifteen });
  const { as } = await newApiKey(gateway, ['users:write']);
  for (const password of [fifteen, `${fifteen} and more`]) {
    expect((await ask(gateway, as, SET_PASSWORD, { input: { id, password } })).reason).toBe('every_scope_needed');
  }
});

test('Interface 11: refuses a lone surrogate or NUL in a password', async () => {
  const { id } = await gateway.user();
  for (const password of [`${fifteen}\ud800`, `${fifteen}\0`]) {
    const { code } = await ask(gateway, admin.as, SET_PASSWORD, { input: { id, password } });
    expect(code).toBe('BAD_USER_INPUT');
  }
});

test.each([
  ['15 characters', fifteen],
  ['15 characters outside the BMP', '🔑'.repeat(15)],
  ['1024 bytes', 'é'.repeat(512)],
])('Interface 11: sets a password of %s, which then logs in', async (_what, password) => {
  const { id, email } = await gateway.user();
  expect((await change(SET_PASSWORD, { id, password })).errors).toEqual([]);
  expect((await login(gateway, email, password)).status).toBe(200);
});

test('Interface 11: sets the role; setting the same role again changes and writes nothing', async () => {
  const { id } = await gateway.user({ role: 'analyst' });
  const { data, events } = await change(SET_ROLE, { id, role: 'admin' });
  expect(data.setUserRole.user).toEqual({ id, role: 'admin' });
  const metadata = { actor: actor(), from: 'analyst', to: 'admin' };
  expect(events).toEqual([{ event_type: 'user_role_changed', user_id: id, metadata }]);
  expect((await userRow(gateway, id)).role).toBe('admin');
  expect((await change(SET_ROLE, { id, role: 'admin' })).events).toEqual([]);
});

test('Interface 11: another e-mail logs in, the session stays, and a password link ends', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  const { id, email } = user;
  const { link } = await issuePasswordLink(gateway.app, COMMAND_LINE, id, 'reset');
  const { data, events } = await change(SET_EMAIL, { id, email: ' Ada.Married@Example.COM' });
  const to = 'ada.married@example.com';
  expect(data.setUserEmail.user).toEqual({ id, email: to });
  const metadata = { actor: actor(), from: email, to };
  expect(events).toEqual([{ event_type: 'user_email_changed', user_id: id, metadata }]);
  expect((await redeem(gateway, link.split('#token=')[1])).status).toBe(401);
  expect(claimsOf((await refresh(gateway, refreshToken)).json.access_token)['sub']).toBe(id);
  expect((await login(gateway, email)).status).toBe(401);
  expect((await login(gateway, to)).status).toBe(200);
});

test('Interface 11: the same e-mail again changes and writes nothing', async () => {
  const { id, email } = await gateway.user();
  await issuePasswordLink(gateway.app, COMMAND_LINE, id, 'reset');
  const links = () => gateway.rows('select * from password_links where user_id = $1', [id]);
  const before = [await wholeState(gateway), await links()];
  expect((await change(SET_EMAIL, { id, email: ` ${email.toUpperCase()} ` })).data.setUserEmail.user.email).toBe(email);
  expect([await wholeState(gateway), await links()]).toEqual(before);
  expect(before[1]).toHaveLength(1);
});

test('Interface 11: refuses an invalid e-mail, and one of another user', async () => {
  const [{ id }, other] = [await gateway.user(), await gateway.user()];
  await refused(SET_EMAIL, { id, email: 'a@b' }, INVALID_EMAIL);
  await refused(SET_EMAIL, { id, email: other.email.toUpperCase() }, EMAIL_TAKEN);
});

test('Interface 11: of simultaneous requests for one e-mail, new and changed users alike, one gets it', async () => {
  const users = await Promise.all([gateway.user(), gateway.user(), gateway.user()]);
  const email = 'wanted@example.com';
  const answers = await Promise.all([
    ...users.map(({ id }) => ask(gateway, admin.as, SET_EMAIL, { input: { id, email } })),
    ...[1, 2].map(() => ask(gateway, admin.as, CREATE, { input: { email, password: fifteen, role: 'viewer' } })),
  ]);
  expect(answers.map(({ reason }) => String(reason)).sort()).toEqual([...Array(4).fill('email_taken'), 'undefined']);
  expect(await gateway.rows('select id from users where email = $1', [email])).toHaveLength(1);
});

test("Interface 11: an administrator's e-mail is changed by callers that hold every scope alone", async () => {
  const { id } = await gateway.user({ role: 'admin' });
  const { as } = await newApiKey(gateway, ['users:write']);
  const input = { id, email: 'taken-over@example.com' };
  expect((await ask(gateway, as, SET_EMAIL, { input })).reason).toBe('every_scope_needed');
  expect((await change(SET_EMAIL, input)).data.setUserEmail.user.email).toBe(input.email);
});

test('Interface 11: deactivation ends every session of the user and records their number', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  await refresh(gateway, (await signIn(gateway, user)).refreshToken);
  const other = await newcomer(gateway);
  const { data, events } = await change(SET_ACTIVE, { id: user.id, isActive: false });
  expect(data.setUserActive).toEqual({ user: { id: user.id, isActive: false }, revokedSessionCount: 2 });
  const metadata = { actor: actor(), sessions_ended: 2 };
  expect(events).toEqual([{ event_type: 'user_deactivated', user_id: user.id, metadata }]);
  const records = await recordsOf(gateway, user.id);
  expect(records.map(({ revoked, revoked_reason }) => [revoked, revoked_reason])).toEqual(
    expect.arrayContaining([
      [true, 'rotated'],
      [true, 'user_deactivated'],
      [true, 'user_deactivated'],
    ]),
  );
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
  expect((await login(gateway, user.email)).status).toBe(401);
  expect((await refresh(gateway, other.refreshToken)).status).toBe(200);
  const again = await change(SET_ACTIVE, { id: user.id, isActive: false });
  expect([again.events, again.data.setUserActive.revokedSessionCount]).toEqual([[], 0]);
});

test('Interface 11: activation lets the user log in again; old sessions stay ended', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  await change(SET_ACTIVE, { id: user.id, isActive: false });
  const { data, events } = await change(SET_ACTIVE, { id: user.id, isActive: true });
  expect(data.setUserActive).toEqual({ user: { id: user.id, isActive: true }, revokedSessionCount: 0 });
  expect(events).toEqual([{ event_type: 'user_activated', user_id: user.id, metadata: { actor: actor() } }]);
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
  expect((await login(gateway, user.email)).status).toBe(200);
});

test('Interface 11: unlocks a user', async () => {
  const { id, email } = await gateway.user();
  await login(gateway, email, 'wrong');
  expect((await login(gateway, email)).status).toBe(429);
  const { data, events } = await change(UNLOCK, { id });
  expect(data.unlockUser.user).toEqual({ id, lockedUntil: null, failedLoginAttempts: 0 });
  expect(events).toEqual([{ event_type: 'user_unlocked', user_id: id, metadata: { actor: actor() } }]);
  expect((await login(gateway, email)).status).toBe(200);
  expect((await change(UNLOCK, { id })).events).toEqual([]);
});

test('Interface 15: a user is created without a password, and gets a link by which they choose it', async () => {
  const email = 'without@example.com';
  const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id hasPassword } } }';
  const { user } = (await change(create, { email, role: 'viewer' })).data.createUser;
  expect(user.hasPassword).toBe(false);
  expect((await login(gateway, email)).status).toBe(401);
  const issue = 'mutation ($input: IssuePasswordLinkInput!) { issuePasswordLink(input: $input) { link expiresAt } }';
  const { data, events } = await change(issue, { userId: user.id, purpose: 'invitation' });
  const { link, expiresAt } = data.issuePasswordLink;
  expect(Date.parse(expiresAt)).toBe(gateway.clock.now().getTime() + 259_200_000);
  const metadata = { actor: actor(), purpose: 'invitation', expires_at: expiresAt };
  expect(events).toEqual([{ event_type: 'password_link_issued', user_id: user.id, metadata }]);
  expect((await redeem(gateway, link.split('#token=')[1])).status).toBe(204);
  expect((await login(gateway, email, CHOSEN)).status).toBe(200);
});

test('Interface 15: a link for an administrator is for callers that hold every scope', async () => {
  const key = await newApiKey(gateway, ['users:read', 'users:write']);
  const { id } = await gateway.user({ role: 'admin' });
  const issue = 'mutation ($id: ID!) { issuePasswordLink(input: { userId: $id, purpose: reset }) { link } }';
  expect((await ask(gateway, key.as, issue, { id })).reason).toBe('every_scope_needed');
  expect(await gateway.rows('select from password_links where user_id = $1', [id])).toEqual([]);
});

test('Interface 11: a new password ends every session and replaces the old password', async () => {
  const { user, refreshToken } = await newcomer(gateway);
  const { data, events } = await change(SET_PASSWORD, { id: user.id, password: fifteen });
  expect(data.setUserPassword).toEqual({ user: { id: user.id }, revokedSessionCount: 1 });
  const metadata = { actor: actor(), sessions_ended: 1 };
  expect(events).toEqual([{ event_type: 'user_password_set', user_id: user.id, metadata }]);
  expect((await refresh(gateway, refreshToken)).status).toBe(401);
  expect((await login(gateway, user.email, fifteen)).status).toBe(200);
  expect((await login(gateway, user.email, PASSWORD)).status).toBe(401);
});

test.each(['00000000-0000-7000-8000-000000000000', 'no-uuid', ''])('Interface 11: there is no user %j', async (id) => {
  await refused(SET_ROLE, { id, role: 'viewer' }, USER_UNKNOWN);
  await refused(SET_EMAIL, { id, email: 'nobody@example.com' }, USER_UNKNOWN);
  await refused(SET_ACTIVE, { id, isActive: false }, USER_UNKNOWN);
  await refused(UNLOCK, { id }, USER_UNKNOWN);
  await refused(SET_PASSWORD, { id, password: fifteen }, USER_UNKNOWN);
});

test('Interface 11: the event names the key that made the change', async () => {
  const { id } = await gateway.user();
  const api = await newApiKey(gateway, ['users:write']);
  const cron = await newCronKey(gateway, ['users:write']);
  const byApi = await change(SET_ROLE, { id, role: 'analyst' }, api.as);
  const byCron = await change(SET_ROLE, { id, role: 'viewer' }, cron.as);
  expect([...byApi.events, ...byCron.events].map(({ metadata }) => metadata['actor'])).toEqual([
    { caller_type: 'api_key', key_id: api.keyId },
    { caller_type: 'cron', key_id: cron.keyId },
  ]);
});

test('Interface 11: if the event cannot be written, nothing is changed', async () => {
  const { user } = await newcomer(gateway);
  const locked = await gateway.user();
  await login(gateway, locked.email, 'wrong');
  const before = await wholeState(gateway);
  const { id } = user;
  await withFault(gateway, refusesRows('audit_events'), async () => {
    for (const [text, input] of [
      [CREATE, { email: 'unwritten@example.com', password: fifteen, role: 'viewer' }],
      [SET_ROLE, { id, role: 'analyst' }],
      [SET_EMAIL, { id, email: 'unwritten@example.com' }],
      [SET_ACTIVE, { id, isActive: false }],
      [UNLOCK, { id: locked.id }],
      [SET_PASSWORD, { id, password: fifteen }],
      ['mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedId } }', { id }],
    ] as const) {
      expect(await ask(gateway, admin.as, text, { input })).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
      expect(await wholeState(gateway)).toEqual(before);
    }
  });
});
