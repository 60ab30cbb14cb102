/** The field `pendingEmail`, and how a session ends when a change of the e-mail is taken back. (Interface 21) */
import { askForEmail, changeEmail, startWithAccount } from '../support/gateway/email-changes.js';
import { post } from '../support/gateway/factors.js';
import { claimsOf, type TestGateway } from '../support/gateway/gateway.js';
import { type As, dataOf, newApiKey, newcomer, STORY } from '../support/gateway/graphql.js';
import { refresh } from '../support/gateway/routes.js';
import { type Statement, watchStatements } from '../support/gateway/work.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startWithAccount();
});
afterAll(() => gateway.close());

const ownPending = async (as: As) => (await dataOf(gateway, as, '{ me { pendingEmail } }')).me.pendingEmail;

test('Interface 21: users see the e-mail that they have asked for until its link is opened, replaced or expired', async () => {
  const user = await newcomer(gateway);
  expect(await ownPending(user.as)).toBeNull();
  await askForEmail(gateway, user, 'one@example.com');
  expect(await ownPending(user.as)).toBe('one@example.com');
  await askForEmail(gateway, user, 'two@example.com');
  expect(await ownPending(user.as)).toBe('two@example.com');
  await changeEmail(gateway, user, 'three@example.com');
  expect((await dataOf(gateway, user.as, '{ me { email pendingEmail } }')).me).toEqual({
    email: 'three@example.com',
    pendingEmail: null,
  });

  const another = await newcomer(gateway);
  await askForEmail(gateway, another, user.user.email); // a reserved one looks the same
  const reader = await newApiKey(gateway, ['users:read']);
  const text = `{ user(id: "${another.user.id}") { pendingEmail } }`;
  const seen = async () => (await dataOf(gateway, reader.as, text)).user.pendingEmail;
  gateway.clock.advance(1_799);
  expect(await seen()).toBe(user.user.email);
  gateway.clock.advance(1);
  expect(await seen()).toBeNull();
});

test.each([
  ['a new password', 'setUserPassword', ', password: "a new password of the user"'],
  ['another e-mail by an administrator', 'setUserEmail', ', email: "by-an-administrator@example.com"'],
  ['a deactivation', 'setUserActive', ', isActive: false'],
])('Interface 21: %s ends what the user has asked for', async (_what, mutation, more) => {
  const { as } = await newcomer(gateway, 'admin');
  const user = await newcomer(gateway);
  await askForEmail(gateway, user, 'wanted@example.com');
  const pending = `user(id: "${user.user.id}") { pendingEmail }`;
  expect((await dataOf(gateway, as, `{ ${pending} }`)).user).toEqual({ pendingEmail: 'wanted@example.com' });
  const text = `mutation { ${mutation}(input: { id: "${user.user.id}"${more} }) { user { pendingEmail } } }`;
  expect((await dataOf(gateway, as, text))[mutation].user).toEqual({ pendingEmail: null });
});

test('Interface 21: e-mails that a page of users has asked for are one statement by keys, and unasked for they are none', async () => {
  const users = [await newcomer(gateway), await newcomer(gateway), await newcomer(gateway)];
  for (const user of users.slice(1)) await askForEmail(gateway, user, `new-${user.user.email}`);
  const { as } = await newApiKey(gateway, ['users:read']);
  const statements: Statement[] = [];
  watchStatements(gateway.app.db, (statement) => statements.push(statement));
  const read = async (fields: string) => {
    const text = `query ($ids: [ID!]) { users(filter: { ids: $ids }) { nodes { ${fields} } } }`;
    return (await dataOf(gateway, as, text, { ids: users.map(({ user }) => user.id) })).users.nodes;
  };
  const about = () => statements.splice(0).filter(({ sql }) => /email_(changes|undos)/.test(sql)).length;

  const expected = users.map(({ user }, i) => ({ id: user.id, pendingEmail: i === 0 ? null : `new-${user.email}` }));
  const nodes = await read('id pendingEmail');
  expect(nodes).toHaveLength(expected.length);
  expect(nodes).toEqual(expect.arrayContaining(expected));
  expect(about()).toBe(1);
  await read('id email role isLocked lastLoginAt');
  expect(about()).toBe(0);
});

test('Interface 21: a session that the former address has ended says so, and its token is no theft', async () => {
  const { as } = await newcomer(gateway, 'admin');
  const user = await newcomer(gateway);
  const { sid } = claimsOf(user.accessToken);
  const token = await changeEmail(gateway, user, 'of-a-thief@example.com');
  expect((await post(gateway, 'email/undo', { token })).status).toBe(204);
  gateway.clock.advance(1);
  await refresh(gateway, user.refreshToken);
  const { session } = await dataOf(gateway, as, `{ session(id: "${sid}") { endReason isLive user { email } } }`);
  expect(session).toEqual({ endReason: 'email_change_undone', isLive: false, user: { email: user.user.email } });
  const story = (await dataOf(gateway, as, STORY, { id: sid })).session.events.nodes;
  expect(story.slice(-2)).toMatchObject([
    { kind: 'email_change_undone', detail: 'A change of the e-mail was taken back by the former address' },
    { kind: 'token_theft', isTheft: false, detail: expect.stringContaining('e-mail was taken back') },
  ]);
});

test('Interface 21: the audit log has who asked for which e-mail, and who took it back', async () => {
  const { as } = await newcomer(gateway, 'admin');
  const user = await newcomer(gateway);
  await askForEmail(gateway, user, 'mistyped@example.com');
  const token = await changeEmail(gateway, user, 'again-of-a-thief@example.com');
  await post(gateway, 'email/undo', { token });
  const types = '[email_change_requested, email_changed, email_change_undone]';
  const text = `{ auditEvents(filter: { userId: "${user.user.id}", eventTypes: ${types} }) { nodes { eventType sessionId metadata } } }`;
  const [from, to] = [user.user.email, 'again-of-a-thief@example.com'];
  const family_id = claimsOf(user.accessToken)['sid'];
  const { auditEvents } = await dataOf(gateway, as, text);
  const requested = { eventType: 'email_change_requested', sessionId: family_id };
  const events = [
    { eventType: 'email_change_undone', sessionId: null, metadata: { from: to, to: from, sessions_ended: 1 } },
    { eventType: 'email_changed', sessionId: family_id, metadata: { from, to, family_id } },
    { ...requested, metadata: { to, family_id } },
    { ...requested, metadata: { to: 'mistyped@example.com', family_id } },
  ];
  expect(auditEvents.nodes).toHaveLength(events.length);
  expect(auditEvents.nodes).toEqual(expect.arrayContaining(events));
});
