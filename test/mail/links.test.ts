/** Links are mailed, each once, and their tokens wait sealed no longer than necessary. (Interface 15 and 17) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { issuePasswordLink } from '../../src/admin/password-links.js';
import { startInstance, type TestGateway } from '../support/gateway/gateway.js';
import {
  counted,
  countOf,
  FROM,
  issueMailed,
  mailEnv,
  parked,
  redeem,
  requestReset,
  sealedTokens,
  settled,
  startMailing,
} from './mailing.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

let server: SmtpServer;
let gateway: TestGateway;
beforeEach(async () => {
  server = await startSmtpServer();
  gateway = await startMailing(server.url);
});
afterEach(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

const issued = () =>
  gateway.rows("select user_id, ip_address, metadata from audit_events where event_type = 'password_link_issued'");

const eventId = async (type: string): Promise<string | undefined> =>
  (await gateway.rows<{ id: string }>('select id from audit_events where event_type = $1', [type]))[0]?.id;

test('Interface 17: who asks for a new password is mailed a link that works once', async () => {
  const user = await gateway.user({ email: 'ada@example.com' });
  await requestReset(gateway, user);
  const [mail] = await server.reached(1);
  if (mail === undefined) throw new Error('no mail');
  expect(Object.fromEntries(mail.headers)).toMatchObject({
    from: FROM,
    to: 'ada@example.com',
    subject: 'New password for auth.example.com',
    'message-id': `<${await eventId('password_reset_requested')}@auth.example.com>`,
    'auto-submitted': 'auto-generated',
    date: gateway.clock.now().toUTCString().replace('GMT', '+0000'),
  });
  expect(mail.headers.get('content-type')).toMatch(/^multipart\/alternative; /);
  expect(mail.link).toMatch(/^https:\/\/auth\.example\.com\/set-password#token=pl_/);
  expect(mail.text).toContain('Requested by: 203.0.113.7');
  const expiresAt = new Date(gateway.clock.now().getTime() + 1_800_000);
  expect(mail.text).toContain(`until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`);
  expect(server.commands.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
    expect.stringMatching(/^MAIL FROM:<auth@example\.org>/),
    'RCPT TO:<ada@example.com>',
  ]);
  expect(await issued()).toEqual([
    {
      user_id: user.id,
      ip_address: '203.0.113.7',
      metadata: { by: 'request', purpose: 'reset', expires_at: expiresAt.toISOString() },
    },
  ]);

  await settled(gateway);
  expect(await sealedTokens(gateway)).toEqual([null]);
  expect(await redeem(gateway, mail)).toBe(204);
  expect(await redeem(gateway, mail, 'and another battery staple')).toBe(401);
});

test('Interface 17: a request under an unknown e-mail mails nothing', async () => {
  await requestReset(gateway, { id: null as never, email: 'nobody@example.com' });
  await counted(gateway, 'no_user');
  expect(server.commands).toEqual([]);
  expect(await issued()).toEqual([]);
});

test('Interface 17: a mail that failed has the same link and the same Message-ID at the next attempt', async () => {
  server.answer((command) => (command === '.' ? '451 later' : undefined));
  const user = await gateway.user();
  await requestReset(gateway, user);
  await parked(gateway);
  const [waiting] = await sealedTokens(gateway);
  expect(waiting).toMatch(/^ey/);
  server.answer(() => undefined);
  gateway.clock.advance(10);
  const [mail] = await server.reached(1);
  if (mail === undefined) throw new Error('no mail');
  expect(mail.headers.get('message-id')).toContain(await eventId('password_reset_requested'));
  expect(await issued()).toHaveLength(1);
  await settled(gateway);
  expect(await sealedTokens(gateway)).toEqual([null]);
  expect(await redeem(gateway, mail)).toBe(204);
});

test('Interface 17: a process that ends while it mails leaves the link to the next one', async () => {
  const held = Promise.withResolvers<string>();
  server.answer((command) => (command === '.' ? held.promise : undefined));
  const user = await gateway.user();
  await requestReset(gateway, user);
  await server.asked(/^\.$/);
  const [before] = await gateway.rows('select token_sha256, sealed_token from password_links');
  await gateway.instances[0]?.close();
  gateway.instances.length = 0;
  held.resolve('421 too late');
  server.answer(() => undefined);
  const { database, clock } = gateway;
  clock.advance(10); // nobody knows whether it has arrived, so it is tried as if it had failed
  const next = await startInstance(database, { clock, outboxPollMs: 20, env: mailEnv(server.url) });
  gateway.instances.push(next);
  const [mail] = await server.reached(1);
  if (mail === undefined) throw new Error('no mail');
  const [after] = await gateway.rows('select token_sha256 from password_links');
  expect(after?.['token_sha256']).toEqual(before?.['token_sha256']);
  expect(await redeem(next, mail)).toBe(204);
  expect(await issued()).toHaveLength(1);
});

test('Interface 17: a slow answer holds up no other mail, and after a kill that mail is tried again once its time is over', async () => {
  const held = Promise.withResolvers<string>();
  const [ada, bob, carl] = [await gateway.user(), await gateway.user(), await gateway.user()];
  server.answer((command) => (command === '.' ? held.promise : undefined));
  await requestReset(gateway, ada);
  await server.asked(/^\.$/);
  server.answer(() => undefined);
  await requestReset(gateway, bob);
  await requestReset(gateway, ada); // shares the link that is under way
  await server.reached(1);
  // As if the process had been killed: its claim has ended, and the result of its attempt is not stored.
  await gateway.rows('update outbox_cursors set claimed_by = null, claimed_until = null');
  const { database, clock } = gateway;
  const next = await startInstance(database, { clock, outboxPollMs: 20, env: mailEnv(server.url) });
  gateway.instances.push(next);
  await requestReset(gateway, carl);
  await server.reached(3);
  clock.advance(600);
  await settled(gateway);
  const to = () => server.mails.map(({ headers }) => headers.get('to')).toSorted();
  expect(to()).toEqual([ada.email, bob.email, carl.email].toSorted());
  const dots = () => server.commands.filter((command) => command === '.').length;
  expect(dots()).toBe(4); // the one that is held among them
  clock.advance(200);
  await counted(gateway, 'superseded'); // its link came with the second request
  expect(dots()).toBe(4);
  held.resolve('250 at last');
});

test('Interface 17: a mail that was delivered before the process could store that is not sent with another link', async () => {
  const user = await gateway.user();
  await requestReset(gateway, user);
  const [mail] = await server.reached(1);
  if (mail === undefined) throw new Error('no mail');
  await settled(gateway);
  await gateway.rows(
    "update outbox_cursors set front_at = now() - interval '1 minute', settled_at = now() - interval '1 minute'",
  );
  await gateway.rows('delete from outbox_events');
  await counted(gateway, 'superseded');
  expect(server.mails).toHaveLength(1);
  expect(await redeem(gateway, mail)).toBe(204);
});

test('Interface 17: requests that come together are one mail, a later one is another', async () => {
  const user = await gateway.user();
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  await requestReset(gateway, user);
  await parked(gateway);
  await requestReset(gateway, user);
  await parked(gateway, 2);
  expect(await issued()).toHaveLength(2);
  server.answer(() => undefined);
  gateway.clock.advance(10);
  await counted(gateway, 'superseded');
  const [first] = await server.reached(1);
  gateway.clock.advance(60);
  await requestReset(gateway, user);
  const [, second] = await server.reached(2);
  if (first === undefined || second === undefined) throw new Error('no mail');
  expect(second.token).not.toBe(first.token);
  await settled(gateway);
  expect(server.mails).toHaveLength(2);
  expect(await redeem(gateway, first)).toBe(401);
  expect(await redeem(gateway, second)).toBe(204);
});

test('Interface 17: a request is mailed within the time that its link would have lived, or never', async () => {
  server.answer((command) => (/^RCPT/.test(command) ? '450 later' : undefined));
  await requestReset(gateway, await gateway.user());
  await parked(gateway);
  server.answer(() => undefined);
  gateway.clock.advance(1_801);
  await counted(gateway, 'expired');
  expect(server.mails).toEqual([]);
});

test('Interface 15: mails that have failed are not among the three of an hour, and the newest request has the link', async () => {
  server.answer((command) => (/^RCPT/.test(command) ? '451 later' : undefined));
  const user = await gateway.user();
  for (let requests = 1; requests <= 5; requests += 1) {
    await requestReset(gateway, user);
    await parked(gateway, requests);
  }
  server.answer(() => undefined);
  gateway.clock.advance(10);
  await counted(gateway, 'superseded', 4);
  for (const mails of [1, 2, 3]) {
    await server.reached(mails);
    await requestReset(gateway, user);
  }
  await counted(gateway, 'limited');
  expect(server.mails).toHaveLength(3);
  const [first, second, third] = server.mails;
  if (!first || !second || !third) throw new Error('no mail');
  expect([await redeem(gateway, first), await redeem(gateway, second), await redeem(gateway, third)]).toEqual([
    401, 401, 204,
  ]);
});

test('Interface 17: what the server refuses for good is not tried again, and its token is erased', async () => {
  server.answer((command) => (/^RCPT/.test(command) ? '550 5.1.1 no such user <ada@example.com>' : undefined));
  await requestReset(gateway, await gateway.user());
  await counted(gateway, 'rejected');
  await settled(gateway);
  expect(await sealedTokens(gateway)).toEqual([null]);
  expect(await gateway.rows('select from outbox_events where due_at is not null')).toEqual([]);
});

test('Interface 17: an operator lets the gateway mail an invitation, or a link for a new password', async () => {
  const [ada, bob] = [await gateway.user({ email: 'ada@example.com', role: 'analyst' }), await gateway.user()];
  const token = await issueMailed(gateway, ada, 'invitation');
  const [invitation] = await server.reached(1);
  if (invitation === undefined) throw new Error('no mail');
  expect(invitation.token).toBe(token);
  expect(invitation.subject).toBe('Your account at auth.example.com');
  expect(invitation.text).toMatch(
    /created for ada@example\.com, with the role analyst\.\nInvited by: an administrator/,
  );
  await issueMailed(gateway, bob, 'reset');
  const [, reset] = await server.reached(2);
  expect(reset?.text).toContain('Requested by: an administrator');
  await settled(gateway);
  expect(await sealedTokens(gateway)).toEqual([null, null]);
  expect(await redeem(gateway, invitation)).toBe(204);
});

test('Interface 17: a link that an operator has seen is not mailed, and ends the one that waited', async () => {
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  const user = await gateway.user();
  await issueMailed(gateway, user, 'invitation');
  await parked(gateway);
  await issuePasswordLink(gateway.app, COMMAND_LINE, user.id, 'reset');
  server.answer(() => undefined);
  gateway.clock.advance(10);
  await counted(gateway, 'superseded');
  expect(server.mails).toEqual([]);
  expect(await countOf(gateway, 'delivered')).toBe(0);
});

test('Interface 17: of two links for one user the newer one is mailed', async () => {
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  const user = await gateway.user();
  await issueMailed(gateway, user, 'invitation');
  await parked(gateway);
  const newer = await issueMailed(gateway, user, 'invitation');
  await parked(gateway, 2);
  server.answer(() => undefined);
  gateway.clock.advance(10);
  const [mail] = await server.reached(1);
  expect(mail?.token).toBe(newer);
  await counted(gateway, 'superseded');
});

test.each(['deactivated', 'deleted'])('Interface 17: a user who is %s is mailed nothing', async (what) => {
  server.answer((command) => (/^MAIL/.test(command) ? '451 later' : undefined));
  const user = await gateway.user();
  await issueMailed(gateway, user, 'invitation');
  await parked(gateway);
  await gateway.rows(
    what === 'deleted' ? 'delete from users where id = $1' : 'update users set is_active = false where id = $1',
    [user.id],
  );
  server.answer(() => undefined);
  await requestReset(gateway, user);
  gateway.clock.advance(10);
  await counted(gateway, 'superseded', 2);
  expect(server.mails).toEqual([]);
});
