/** The mail after a change of the e-mail was taken back, which the user must not delete. (Interface 21) */
import { redeemEmail, requestEmail, undoEmail } from '../support/gateway/account.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { newcomer } from '../support/gateway/graphql.js';
import { issueMailed, parked, redeem, requestReset, startMailing } from './mailing.js';
import type { ReceivedMail } from './read-mail.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

let server: SmtpServer;
let gateway: TestGateway;
let mails: number;
beforeEach(async () => {
  mails = 0;
  server = await startSmtpServer();
  gateway = await startMailing(server.url, { env: { ACCOUNT: 'on', MAIL_NOTICES: 'none' } });
});
afterEach(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

async function nextMail(): Promise<ReceivedMail> {
  mails += 1;
  const mail = (await server.reached(mails)).at(mails - 1);
  if (mail === undefined) throw new Error('no mail');
  return mail;
}

const UNDONE = 'Your account at auth.example.com needs a new password';

/** A user who has taken a change of the e-mail back. */
async function undone(): Promise<{ id: string; email: string }> {
  const { user, accessToken } = await newcomer(gateway);
  await requestEmail(gateway, accessToken, 'thief@example.net');
  await redeemEmail(gateway, accessToken, (await nextMail()).token);
  expect(await undoEmail(gateway, (await nextMail()).token)).toMatchObject({ status: 204 });
  return user;
}

test('Interface 21: the mail says that a change was taken back, what has ended, and who asked, not that it can be deleted', async () => {
  const { email } = await undone();
  const mail = await nextMail();
  expect([mail.headers.get('to'), mail.subject]).toEqual([email, UNDONE]);
  expect(mail.text).toContain(`the change of the e-mail of your account ${email} at auth.example.com was taken back.`);
  expect(mail.text).toMatch(/This has ended every session and the password\.\nRequested by: 127\.0\.0\.1\nTime: /);
  expect(mail.link).toMatch(/^https:\/\/auth\.example\.com\/set-password#token=pl_/);
  for (const part of [mail.text, mail.html]) expect(part).not.toMatch(/delete/);
  expect(mail.html).toContain('class="button"');
  expect(await redeem(gateway, mail)).toBe(204);
});

test('Interface 21: every further link has this text until there is a password, also an invitation', async () => {
  const user = await undone();
  const first = await nextMail();
  await requestReset(gateway, user);
  const again = await nextMail();
  await issueMailed(gateway, user, 'invitation');
  const invitation = await nextMail();
  expect([first.subject, again.subject, invitation.subject]).toEqual([UNDONE, UNDONE, UNDONE]);
  expect(invitation.text).toContain('Requested by: an administrator');
  expect([await redeem(gateway, again), await redeem(gateway, invitation)]).toEqual([401, 204]);
  await requestReset(gateway, user);
  expect((await nextMail()).subject).toBe('New password for auth.example.com');
});

test('Interface 21: a mail that is tried again has the same text', async () => {
  let recipients = 0;
  server.answer((command) => {
    if (/^RCPT/.test(command)) recipients += 1;
    return /^RCPT/.test(command) && recipients === 3 ? '451 later' : undefined;
  });
  await undone();
  await parked(gateway);
  gateway.clock.advance(10);
  expect((await nextMail()).subject).toBe(UNDONE);
});

test('Interface 17: a user who never had a password is mailed the text of a request', async () => {
  const user = await gateway.user();
  await gateway.rows('update users set password_hash = null, password_version = 0 where id = $1', [user.id]);
  await requestReset(gateway, user);
  expect((await nextMail()).subject).toBe('New password for auth.example.com');
});
