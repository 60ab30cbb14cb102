/** Which notices are sent, how often, and to which addresses. (Interface 21) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive, setUserEmail, setUserPassword, setUserRole } from '../../src/admin/user-changes.js';
import { writeAudit } from '../../src/audit/write.js';
import { logIn, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { signIn } from '../support/gateway/graphql.js';
import {
  counted,
  countOf,
  issueMailed,
  NEW_PASSWORD,
  parked,
  redeem,
  requestReset,
  settled,
  startMailing,
} from './mailing.js';
import type { ReceivedMail } from './read-mail.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

let server: SmtpServer;
let gateway: TestGateway;
beforeEach(async () => {
  server = await startSmtpServer();
});
afterEach(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

const subjectsTo = (mails: ReceivedMail[]): string[] =>
  mails.map(({ headers, subject }) => `${headers.get('to')}: ${subject}`).toSorted();
const messageIds = (mails: ReceivedMail[]): Array<string | undefined> =>
  mails.map(({ headers }) => headers.get('message-id'));
const currentTo = ({ headers, text }: ReceivedMail): string =>
  `${headers.get('to')}: ${/now has the e-mail (\S+)\.$/m.exec(text)?.[1]}`;
const CHANGED = 'Your e-mail at auth.example.com was changed';

test('Interface 21: a user gets one notice of a kind in an hour, whatever else happens; links are not limited', async () => {
  gateway = await startMailing(server.url);
  const [ada, bob] = [await gateway.user(), await gateway.user()];
  await setUserRole(gateway.app, COMMAND_LINE, ada.id, 'analyst');
  await server.reached(1);
  await settled(gateway);
  gateway.clock.advance(3_599);
  await setUserRole(gateway.app, COMMAND_LINE, ada.id, 'viewer');
  await counted(gateway, 'limited');
  await setUserRole(gateway.app, COMMAND_LINE, bob.id, 'analyst');
  await setUserPassword(gateway.app, COMMAND_LINE, ada.id, NEW_PASSWORD);
  await requestReset(gateway, ada);
  await requestReset(gateway, bob);
  await server.reached(5);
  await settled(gateway);
  gateway.clock.advance(1);
  await setUserRole(gateway.app, COMMAND_LINE, ada.id, 'analyst');
  await server.reached(6);
  await settled(gateway);
  expect(await countOf(gateway, 'limited')).toBe(1);
  const sent = await gateway.rows(
    `select user_id, metadata ->> 'kind' as kind, ip_address from audit_events where event_type = 'notice_sent' order by created_at, kind`,
  );
  expect(sent).toHaveLength(4);
  expect(sent[0]).toEqual({ user_id: ada.id, kind: 'role_changed', ip_address: 'gateway' });
});

test('Interface 21: the first password, by an invitation, is not reported and does not count; the next ones do', async () => {
  gateway = await startMailing(server.url);
  const user = await gateway.user({ password: null });
  const password = 'Your password for auth.example.com was changed';
  const set = async (newPassword: string, mails: number): Promise<void> => {
    await issueMailed(gateway, user, 'invitation');
    const link = (await server.reached(mails)).at(-1);
    if (link === undefined) throw new Error('no mail');
    expect(await redeem(gateway, link, newPassword)).toBe(204);
  };
  await set(NEW_PASSWORD, 1);
  await settled(gateway);
  expect(server.mails).toHaveLength(1);
  // An invitation could otherwise replace a password in silence.
  await set('the second of them, by an invitation', 2);
  expect((await server.reached(3))[2]?.subject).toBe(password);
  await settled(gateway);
  await setUserPassword(gateway.app, COMMAND_LINE, user.id, 'the third of them, by somebody else');
  await counted(gateway, 'limited');
  expect(server.mails).toHaveLength(3);
});

test('Interface 21: a password after a change that was taken back is not the first one', async () => {
  gateway = await startMailing(server.url);
  const user = await gateway.user({ password: null });
  await gateway.rows('update users set password_version = 1 where id = $1', [user.id]);
  await issueMailed(gateway, user, 'invitation');
  const [link] = await server.reached(1);
  if (link === undefined) throw new Error('no mail');
  expect(await redeem(gateway, link)).toBe(204);
  expect((await server.reached(2))[1]?.subject).toBe('Your password for auth.example.com was changed');
});

test('Interface 21: a notice that failed is not one that was sent, so it does not count', async () => {
  gateway = await startMailing(server.url);
  server.answer((command) => (/^RCPT/.test(command) ? '550 no' : undefined));
  const user = await gateway.user();
  await setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst');
  await counted(gateway, 'rejected');
  server.answer(() => undefined);
  await setUserRole(gateway.app, COMMAND_LINE, user.id, 'viewer');
  await server.reached(1);
});

test('Interface 21: MAIL_NOTICES chooses; what it leaves out is not counted, and links are always sent', async () => {
  gateway = await startMailing(server.url, { env: { MAIL_NOTICES: 'password_changed' } });
  const user = await gateway.user({ email: 'ada@example.com' });
  await setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst');
  await setUserEmail(gateway.app, COMMAND_LINE, user.id, 'new@example.com');
  await requestReset(gateway, user);
  await server.reached(1);
  await setUserPassword(gateway.app, COMMAND_LINE, user.id, NEW_PASSWORD);
  await server.reached(2);
  await settled(gateway);
  expect(server.mails.map(({ subject }) => subject)).toEqual([
    'New password for auth.example.com',
    'Your password for auth.example.com was changed',
  ]);
});

test("Interface 21: an administrator's change of an e-mail is reported to both addresses, each once, under Message-IDs that stay", async () => {
  gateway = await startMailing(server.url);
  const user = await gateway.user({ email: 'old@example.com' });
  // The new address is greylisted, so its mail is tried again; that of the old one is not.
  server.answer((command) => (/^RCPT TO:<new/.test(command) ? '451 later' : undefined));
  await setUserEmail(gateway.app, COMMAND_LINE, user.id, 'new@example.com');
  await server.reached(1);
  await parked(gateway);
  gateway.clock.advance(10);
  await counted(gateway, 'deferred', 2);
  await parked(gateway);
  server.answer(() => undefined);
  gateway.clock.advance(400);
  const mails = await server.reached(2);
  await settled(gateway);
  expect(subjectsTo(mails)).toEqual([`new@example.com: ${CHANGED}`, `old@example.com: ${CHANGED}`]);
  const [event] = await gateway.rows<{ id: string }>(
    `select id from audit_events where event_type = 'user_email_changed'`,
  );
  expect(messageIds(mails)).toEqual([`<${event?.id}@auth.example.com>`, `<${event?.id}.2@auth.example.com>`]);
  for (const { text } of mails) {
    expect(text).toContain(
      'your account at auth.example.com now has the e-mail new@example.com.\nChanged by: an administrator\n',
    );
    expect(text).toContain('If you did not expect this, ask those who run auth.example.com.');
  }
  expect(server.mails).toHaveLength(2);
});

const ON: [string, string, string] = ['a@example.com', 'b@example.com', 'c@example.com'];
const BACK: [string, string, string] = ['a@example.com', 'b@example.com', 'a@example.com'];
test.each([
  ['on to a third address', ON, false],
  ['back', BACK, false],
  ['on to a third address, before the first mail', ON, true],
  ['back, before the first mail', BACK, true],
])(
  'Interface 21: two changes of an e-mail within the hour are both reported to both addresses: %s',
  async (_, emails, areLate) => {
    gateway = await startMailing(server.url);
    const [first, second, third] = emails;
    const user = await gateway.user({ email: first });
    if (areLate) server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
    await setUserEmail(gateway.app, COMMAND_LINE, user.id, second);
    await (areLate ? parked(gateway) : settled(gateway));
    await setUserEmail(gateway.app, COMMAND_LINE, user.id, third);
    if (areLate) await parked(gateway, 2);
    server.answer(() => undefined);
    gateway.clock.advance(400);
    await server.reached(4);
    await settled(gateway);
    expect(server.mails.map(currentTo).toSorted()).toEqual(
      [`${first}: ${second}`, `${second}: ${second}`, `${second}: ${third}`, `${third}: ${third}`].toSorted(),
    );
    expect(await countOf(gateway, 'limited')).toBe(0);
  },
);

test('Interface 21: who changes their own e-mail: the old address gets the way back, the new one the notice', async () => {
  gateway = await startMailing(server.url, { env: { ACCOUNT: 'on' } });
  const user = await gateway.user({ email: 'old@example.com' });
  const { accessToken } = await signIn(gateway, user);
  const send = (path: string, body: object) =>
    gateway.send('POST', `/auth/email${path}`, { headers: { authorization: `Bearer ${accessToken}` }, body });
  expect((await send('', { email: 'new@example.com' })).status).toBe(202);
  const [confirm] = await server.reached(1);
  expect(confirm?.headers.get('to')).toBe('new@example.com');
  expect((await send('/redeem', { token: confirm?.token })).status).toBe(200);
  const [, ...both] = await server.reached(3);
  expect(subjectsTo(both)).toEqual([`new@example.com: ${CHANGED}`, `old@example.com: ${CHANGED}`]);
  expect(new Set(messageIds(both)).size).toBe(2);
  const [undo, notice] = both.toSorted((a) => (a.token === undefined ? 1 : -1));
  expect(undo?.text).toContain('take it back with this link');
  expect(notice?.text).toContain('Changed by: you\n');
  await settled(gateway);

  expect((await gateway.send('POST', '/auth/email/undo', { body: { token: undo?.token } })).status).toBe(204);
  const undone = (await server.reached(6)).slice(3);
  expect(subjectsTo(undone)).toEqual([
    `new@example.com: ${CHANGED}`,
    'old@example.com: Your account at auth.example.com needs a new password',
    `old@example.com: ${CHANGED}`,
  ]);
  const toOther = undone.find(({ headers }) => headers.get('to') === 'new@example.com');
  expect(toOther?.text).toContain('Changed by: the owner of the former e-mail\n');
  expect(toOther?.text).not.toContain('127.0.0.1');
});

test('Interface 21: a locked account and a stolen session are reported', async () => {
  gateway = await startMailing(server.url, { env: { ACCOUNT: 'on', LOGIN_MAX_FAILURES: '2' } });
  const { email } = await gateway.user();
  const { refreshToken } = await logIn(gateway, email);
  const headers = { origin: 'https://auth.example.com', cookie: `refresh_token=${refreshToken}` };
  expect((await gateway.send('POST', '/auth/refresh', { headers })).status).toBe(200);
  expect((await gateway.send('POST', '/auth/refresh', { headers })).status).toBe(401);
  const [theft] = await server.reached(1);
  expect(theft?.subject).toBe('A session of your account at auth.example.com was ended');
  const attempts = [];
  for (const password of ['wrong', 'wrong', 'wrong', 'wrong', PASSWORD]) {
    const answer = await gateway.send('POST', '/auth/login', { body: { email, password } });
    attempts.push(answer.status);
  }
  expect(attempts).toEqual([401, 401, 429, 429, 429]);
  const [, locked] = await server.reached(2);
  expect(locked?.subject).toBe('Your account at auth.example.com is locked');
  expect(locked?.text).toMatch(
    /nobody can log in until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\nLast from: an unknown browser, 127\.0\.0\.1\n/,
  );
  expect(locked?.text).toContain('A new password unlocks it');
  await settled(gateway);
  expect(server.mails).toHaveLength(2);
});

test('Interface 21: a token of a session that was ended is no theft, and a device that is locked no locked account', async () => {
  gateway = await startMailing(server.url);
  const user = await gateway.user();
  const about = { userId: user.id, ipAddress: '203.0.113.7', userAgent: '' };
  const events = [
    { eventType: 'token_theft', ...about, metadata: { reused_jti: '', family_id: '', ended_by: 'logout' } },
    { eventType: 'account_locked', ...about, metadata: { locked_until: '2030-01-01T00:00:00Z', by: 'device' } },
  ];
  for (const event of events) await writeAudit(gateway.app.db, [event as never], gateway.clock.now());
  await settled(gateway);
  expect(server.commands).toEqual([]);
  await setUserActive(gateway.app, COMMAND_LINE, user.id, false);
  await writeAudit(
    gateway.app.db,
    [{ eventType: 'token_theft', ...about, metadata: { reused_jti: '' } } as never],
    gateway.clock.now(),
  );
  await counted(gateway, 'no_user');
});
