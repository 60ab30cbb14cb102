/** `testMail`, and the state of mail in `gateway`, over GraphQL. (Interface 11 and 17) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { testMail } from '../../src/mail/test-mail.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, dataOf, newApiKey, newcomer } from '../support/gateway/graphql.js';
import { captureLog } from '../support/gateway/log.js';
import { freePort } from '../support/programs/redis.js';
import { issueMailed, parked, requestReset, settled, startMailing } from './mailing.js';
import { startSmtpServer } from './smtp-server.js';

const TEST = 'mutation { testMail { outcome status milliseconds } }';
const STATE = `{ gateway { mail {
  waiting { eventType queued retried } isComplete lag lastAttempt { at outcome status }
} } }`;
/** So that nothing is sent meanwhile */
const NEVER_MS = 3_600_000;
const MILLISECONDS = expect.any(Number);

let gateway: TestGateway;
afterEach(() => gateway.close());

async function tested(): Promise<{ email: string; result: unknown }> {
  const { as, user } = await newcomer(gateway, 'admin');
  return { email: user.email, result: (await dataOf(gateway, as, TEST)).testMail };
}

const stateOf = async () =>
  (await dataOf(gateway, (await newApiKey(gateway, ['gateway:read'])).as, STATE)).gateway.mail;

test('Interface 17: a test mail goes to who asks for it, alone, and is in no log', async () => {
  await using server = await startSmtpServer();
  const captured = captureLog();
  gateway = await startMailing(server.url, { log: captured.log, outboxPollMs: NEVER_MS });
  const { email, result } = await tested();
  expect(result).toEqual({ outcome: 'delivered', status: 250, milliseconds: MILLISECONDS });
  expect(server.mails.map(({ headers, subject }) => [headers.get('to'), subject])).toEqual([
    [email, 'Test mail from auth.example.com'],
  ]);
  expect(server.commands.filter((command) => command.startsWith('RCPT'))).toEqual([`RCPT TO:<${email}>`]);
  expect(captured.text()).not.toContain(email);
  expect(
    await gateway.rows(`select from audit_events where event_type not in ('login_success', 'user_created')`),
  ).toEqual([]);
  expect((await stateOf()).lastAttempt).toBeNull();
});

test.each([
  ['RCPT', '550 no such user <secret-text>', { outcome: 'rejected', status: 550 }],
  ['RCPT', '451 later', { outcome: 'deferred', status: 451 }],
  ['MAIL', '553 not you', { outcome: 'sender_refused', status: 553 }],
  ['EHLO', '554 go away', { outcome: 'connection_failed', status: 554 }],
])(
  'Interface 17: after %s %p the outcome and the status are answered, without the text',
  async (command, reply, expected) => {
    await using server = await startSmtpServer();
    server.answer((line) =>
      line.startsWith(command) || (command === 'EHLO' && line.startsWith('HELO')) ? reply : undefined,
    );
    gateway = await startMailing(server.url, { outboxPollMs: NEVER_MS });
    expect((await tested()).result).toEqual({ ...expected, milliseconds: MILLISECONDS });
  },
);

test('Interface 17: nobody listens, or a server that hangs is not waited for', async () => {
  gateway = await startMailing(`smtp://127.0.0.1:${await freePort()}`, { outboxPollMs: NEVER_MS });
  expect((await tested()).result).toEqual({ outcome: 'connection_failed', status: null, milliseconds: MILLISECONDS });
  await gateway.close();
  await using server = await startSmtpServer();
  server.answer((line) => (line.startsWith('RCPT') ? new Promise(() => undefined) : undefined));
  gateway = await startMailing(server.url, { outboxPollMs: NEVER_MS });
  const { id } = await gateway.user();
  const { delivery } = await testMail(gateway.app, COMMAND_LINE, id, () => undefined, 200);
  expect(delivery).toEqual({ kind: 'failed', outcome: 'timeout' });
});

test('Interface 17: a user has five test mails an hour, however they end, and others have their own', async () => {
  gateway = await startMailing(`smtp://127.0.0.1:${await freePort()}`, { outboxPollMs: NEVER_MS });
  const { as } = await newcomer(gateway, 'admin');
  for (let i = 0; i < 5; i += 1) expect((await ask(gateway, as, TEST)).errors).toEqual([]);
  expect(await ask(gateway, as, TEST)).toMatchObject({ status: 200, code: 'RATE_LIMITED', reason: 'rate_limited' });
  expect((await tested()).result).toMatchObject({ outcome: 'connection_failed' });
  await gateway.rows(`update rate_limits set expire = 1 where key like 'test_mail:%'`);
  expect((await ask(gateway, as, TEST)).errors).toEqual([]);
});

test('Interface 17: while mail is off there is no state, and a test is refused and not counted', async () => {
  gateway = await startGateway();
  expect(await stateOf()).toBeNull();
  const { as } = await newcomer(gateway, 'admin');
  for (let i = 0; i < 6; i += 1)
    expect(await ask(gateway, as, TEST)).toMatchObject({ code: 'CONFLICT', reason: 'mail_off' });
});

test('Interface 2: MAIL=log prints it', async () => {
  const printed: string[] = [];
  gateway = await startGateway({
    env: { MAIL: 'log' },
    print: (line) => void printed.push(line),
    outboxPollMs: NEVER_MS,
  });
  const { email, result } = await tested();
  expect(result).toEqual({ outcome: 'delivered', status: null, milliseconds: MILLISECONDS });
  expect(printed).toContain(`To: ${email}`);
});

test('Interface 17: the mails that wait are counted by event, tried or not, without addresses', async () => {
  await using server = await startSmtpServer();
  gateway = await startMailing(server.url, { outboxPollMs: NEVER_MS });
  const [ada, bob] = [await gateway.user({ email: 'ada@example.com' }), await gateway.user()];
  expect(await stateOf()).toEqual({ waiting: [], isComplete: true, lag: expect.any(Number), lastAttempt: null });
  await requestReset(gateway, ada);
  await requestReset(gateway, bob);
  await issueMailed(gateway, bob, 'reset');
  expect((await stateOf()).waiting).toEqual([
    { eventType: 'password_reset_requested', queued: 2, retried: 0 },
    { eventType: 'password_link_issued', queued: 1, retried: 0 },
  ]);
});

test('Interface 17: what has failed waits to be tried again, and the last attempt says how; then nothing waits', async () => {
  await using server = await startSmtpServer();
  server.answer((line) => (line.startsWith('RCPT') ? '451 later' : undefined));
  gateway = await startMailing(server.url);
  await requestReset(gateway, await gateway.user());
  await parked(gateway);
  expect(await stateOf()).toEqual({
    waiting: [{ eventType: 'password_reset_requested', queued: 0, retried: 1 }],
    isComplete: true,
    lag: expect.any(Number),
    lastAttempt: { at: gateway.clock.now().toISOString(), outcome: 'deferred', status: 451 },
  });
  server.answer(() => undefined);
  gateway.clock.advance(60);
  await server.reached(1);
  await settled(gateway);
  expect(await stateOf()).toMatchObject({ waiting: [], lastAttempt: { outcome: 'delivered', status: 250 } });
});
