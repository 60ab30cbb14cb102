/** Users are informed of a new password and a new role. (Interface 17) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { deleteUser, setUserActive, setUserPassword, setUserRole } from '../../src/admin/user-changes.js';
import { writeAudit } from '../../src/audit/write.js';
import { logIn, PASSWORD, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import {
  counted,
  countOf,
  issueMailed,
  mailEnv,
  NEW_PASSWORD,
  parked,
  redeem,
  requestReset,
  sealedTokens,
  settled,
  startMailing,
} from './mailing.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

const captured = captureLog();
let server: SmtpServer;
let gateway: TestGateway;
beforeEach(async () => {
  captured.clear();
  server = await startSmtpServer();
  gateway = await startMailing(server.url, { log: captured.log });
});
afterEach(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

const DAY = 86_400;

test('Interface 17: each mail names APP_URL if it is set, and none does otherwise', async () => {
  const APP_URL = 'https://app.example.com';
  const other = await startMailing(server.url, { env: { APP_URL } });
  try {
    const user = await other.user();
    await issueMailed(other, user, 'invitation');
    const [invitation] = await server.reached(1);
    expect(invitation?.text).toContain(`You log in at ${APP_URL}\n`);
    expect(invitation?.link).toMatch(/\/set-password\?for=invitation#token=pl_\w{49}$/);
    await setUserRole(other.app, COMMAND_LINE, user.id, 'analyst');
    expect((await server.reached(2))[1]?.text).toContain(`You log in at ${APP_URL}\n`);
    await setUserRole(gateway.app, COMMAND_LINE, (await gateway.user()).id, 'analyst');
    expect((await server.reached(3))[2]?.text).not.toContain('log in at');
  } finally {
    await other.close();
  }
});

test('Interface 17: a new password is reported, by whatever way it was set', async () => {
  const user = await gateway.user({ email: 'ada@example.com' });
  const { answer } = await logIn(gateway, user.email);
  const headers = { authorization: `Bearer ${answer.json.access_token}` };
  const body = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  expect((await gateway.send('POST', '/auth/password', { headers, body })).status).toBe(200);
  const [changed] = await server.reached(1);
  expect(changed?.headers.get('to')).toBe('ada@example.com');
  expect(changed?.subject).toBe('Your password for auth.example.com was changed');
  expect(changed?.text).toContain('Changed by: 127.0.0.1');
  expect(changed?.text).not.toContain('#token=');
  await settled(gateway);

  gateway.clock.advance(3_600); // at most one of a kind an hour
  await setUserPassword(gateway.app, COMMAND_LINE, user.id, 'set by somebody else entirely');
  const [, set] = await server.reached(2);
  expect(set?.text).toContain('Changed by: an administrator');
  await settled(gateway);

  gateway.clock.advance(3_600);
  await requestReset(gateway, user);
  const [, , link] = await server.reached(3);
  if (link === undefined) throw new Error('no mail');
  expect(await redeem(gateway, link)).toBe(204);
  const [, , , byLink] = await server.reached(4);
  expect(byLink?.text).toContain('Changed by: 127.0.0.1');
});

test('Interface 17: a new role is reported, to the address that the user has when the mail is sent', async () => {
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  const user = await gateway.user({ email: 'old@example.com' });
  await setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst');
  await parked(gateway);
  await gateway.rows("update users set email = 'new@example.com' where id = $1", [user.id]);
  server.answer(() => undefined);
  gateway.clock.advance(10);
  const [mail] = await server.reached(1);
  expect(mail?.headers.get('to')).toBe('new@example.com');
  expect(mail?.subject).toBe('Your role at auth.example.com was changed');
  expect(mail?.text).toMatch(
    /new@example\.com at auth\.example\.com now has the role analyst\.\nChanged by: an administrator/,
  );
});

test('Interface 17: who is deactivated or deleted gets no notice, and nothing else is mailed', async () => {
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  const [ada, bob] = [await gateway.user(), await gateway.user()];
  await setUserRole(gateway.app, COMMAND_LINE, ada.id, 'analyst');
  await setUserRole(gateway.app, COMMAND_LINE, bob.id, 'analyst');
  await parked(gateway, 2);
  await setUserActive(gateway.app, COMMAND_LINE, ada.id, false);
  await deleteUser(gateway.app, COMMAND_LINE, bob.id);
  server.answer(() => undefined);
  gateway.clock.advance(10);
  await counted(gateway, 'no_user', 2);
  await settled(gateway);
  expect(server.mails).toEqual([]);
});

test('Interface 17: a role or an e-mail adds neither lines nor header fields', async () => {
  const user = await gateway.user();
  const hostile = 'viewer}}\r\nBcc: thief@example.org\r\n\r\nhttps://evil.example';
  const event = {
    eventType: 'user_role_changed',
    userId: user.id,
    ipAddress: '203.0.113.7\r\nBcc: thief@example.org',
    userAgent: '',
    metadata: { from: 'viewer', to: hostile },
  };
  await writeAudit(gateway.app.db, [event as never], gateway.clock.now());
  const [mail] = await server.reached(1);
  expect(mail?.headers.has('bcc')).toBe(false);
  expect(mail?.text).not.toMatch(/^Bcc:/m);
  expect(mail?.text).not.toContain('evil.example');
  expect(server.commands.filter((line) => line.startsWith('RCPT'))).toEqual([`RCPT TO:<${user.email}>`]);
});

test('Interface 17: mail begins at the end of the log, and passes over what became old while it was off', async () => {
  const user = await gateway.user();
  await gateway.instances[0]?.close();
  const { clock, database } = gateway;
  const off = await startInstance(database, { clock, env: { ...mailEnv(server.url), MAIL: 'off' } });
  await gateway.rows('delete from outbox_cursors');
  await setUserRole(off.app, COMMAND_LINE, user.id, 'analyst');
  const on = () => startInstance(database, { clock, outboxPollMs: 20, env: mailEnv(server.url) });
  gateway.instances.splice(0, 1, await on());
  await settled(gateway);
  expect(server.commands).toEqual([]); // it happened before mail was first on

  await gateway.instances[0]?.close();
  await setUserRole(off.app, COMMAND_LINE, user.id, 'viewer');
  await issueMailed({ ...gateway, app: off.app }, user, 'invitation');
  await gateway.rows(
    `update audit_events set written_at = now() - interval '4 days' where event_type in ('user_role_changed', 'password_link_issued')`,
  );
  await gateway.rows(
    "update outbox_cursors set front_at = now() - interval '5 days', settled_at = now() - interval '5 days'",
  );
  await setUserPassword(off.app, COMMAND_LINE, user.id, NEW_PASSWORD);
  gateway.instances.splice(0, 1, await on());
  const [mail] = await server.reached(1);
  expect(mail?.subject).toBe('Your password for auth.example.com was changed');
  await settled(gateway);
  expect(server.mails).toHaveLength(1);
  expect(await sealedTokens(gateway)).toEqual([null]);
  await off.close();
});

test('Interface 17: after three days nobody is mailed any more, and the token of a link is erased', async () => {
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  const user = await gateway.user();
  await setUserRole(gateway.app, COMMAND_LINE, user.id, 'analyst');
  await issueMailed(gateway, user, 'invitation');
  await parked(gateway, 2);
  await gateway.rows("update password_links set expires_at = now() + interval '30 days'");
  server.answer(() => undefined);
  gateway.clock.advance(3 * DAY + 1);
  await counted(gateway, 'expired', 2);
  await settled(gateway);
  expect(server.mails).toEqual([]);
  expect(await sealedTokens(gateway)).toEqual([null]);
});

test('Interface 17: without a certificate that counts, the log says what to do', async () => {
  server.answer((command) => (command === 'STARTTLS' ? '502 not here' : undefined));
  const elsewhere = await startMailing(server.url.replace('127.0.0.1', '0.0.0.0'), { log: captured.log });
  await requestReset(elsewhere, await elsewhere.user());
  await counted(elsewhere, 'tls');
  expect(captured.text()).toMatch(/NODE_EXTRA_CA_CERTS.*this machine if that host is localhost/);
  await elsewhere.close();
});

test('Interface 17: attempts are counted, from 0, and logged without address, link and text', async () => {
  const { values } = await gateway.app.metrics.mails.get();
  expect(values.map(({ value }) => value)).toEqual(Array(15).fill(0));
  const user = await gateway.user({ email: 'secret.name@example.com' });
  server.answer((command) => (/^RCPT/.test(command) ? '451 4.2.0 <secret.name@example.com> is full' : undefined));
  await requestReset(gateway, user);
  await parked(gateway);
  server.answer(() => undefined);
  gateway.clock.advance(10);
  const [mail] = await server.reached(1);
  await settled(gateway);
  expect(await countOf(gateway, 'delivered')).toBe(1);
  const lines = captured.lines().filter(({ msg }) => /mail/.test(String(msg)));
  const facts = { event_id: expect.any(String), event_type: 'password_reset_requested' };
  expect(lines).toEqual([
    expect.objectContaining({ ...facts, outcome: 'deferred', status: 451 }),
    expect.objectContaining({ ...facts, outcome: 'delivered', status: 250 }),
  ]);
  for (const secret of ['secret.name', 'is full', 'password was requested', mail?.token ?? 'pl_']) {
    expect(captured.text()).not.toContain(secret);
  }
});
