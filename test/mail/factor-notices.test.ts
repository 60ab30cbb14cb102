/** Users are informed of second factors that are added and removed, and of each recovery code that is used. (Interface 17 and 20) */
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { resetFactors } from '../../src/admin/factors.js';
import { writeAudit } from '../../src/audit/write.js';
import {
  finishLogin,
  halfLogin,
  logInByCode,
  post,
  removeFactor,
  withPasskey,
  withTotp,
} from '../support/gateway/factors.js';
import type { TestGateway } from '../support/gateway/gateway.js';
import { settled, startMailing } from './mailing.js';
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

test('Interface 17 and 20: a factor that a user adds or removes is reported by its kind, without its secret', async () => {
  const { user, accessToken, factorId, secret } = await withTotp(gateway, { email: 'ada@example.com' });
  const [added] = await server.reached(1);
  expect(added?.headers.get('to')).toBe(user.email);
  expect(added?.subject).toBe('A second factor was added to your account at auth.example.com');
  expect(added?.text).toMatch(
    /ada@example\.com at auth\.example\.com has a new second factor: an authenticator app\.\nAdded by: 127\.0\.0\.1\n/,
  );
  expect(added?.raw).not.toContain(secret);

  expect((await removeFactor(gateway, accessToken, factorId)).status).toBe(204);
  const [, removed] = await server.reached(2);
  expect(removed?.subject).toBe('A second factor was removed from your account at auth.example.com');
  expect(removed?.text).toContain('an authenticator app was removed from your account ada@example.com');

  await withPasskey(gateway);
  expect((await server.reached(3))[2]?.text).toContain('has a new second factor: a passkey.');
});

test('Interface 17 and 20: each use of a recovery code is reported, with the number of those left', async () => {
  const { user, recoveryCodes } = await withTotp(gateway);
  await server.reached(1);
  for (const [index, left] of [9, 8].entries()) {
    const challenge = await halfLogin(gateway, user.email);
    const answer = await finishLogin(gateway, challenge, { recovery_code: recoveryCodes[index] });
    expect(answer.status).toBe(200);
    const mail = (await server.reached(index + 2)).at(-1);
    expect(mail?.subject).toBe('A recovery code of your account at auth.example.com was used');
    expect(mail?.text).toContain(`Used by: 127.0.0.1\n`);
    expect(mail?.text).toContain(`\nRecovery codes left: ${left}\n`);
    expect(mail?.raw).not.toContain(recoveryCodes[index]);
    await settled(gateway);
    gateway.clock.advance(3_600);
  }
});

test('Interface 17 and 20: new recovery codes, a confirmation and a login with a code are not mailed', async () => {
  const signedIn = await withTotp(gateway);
  const { accessToken } = await logInByCode(gateway, signedIn);
  expect((await post(gateway, 'factors/recovery-codes', {}, accessToken)).status).toBe(200);
  await settled(gateway);
  expect(server.mails.map(({ subject }) => subject)).toEqual([
    'A second factor was added to your account at auth.example.com',
  ]);
});

test('Interface 17 and 20: the removal of all factors by an operator is reported', async () => {
  const { user } = await withPasskey(gateway);
  await server.reached(1);
  await resetFactors(gateway.app, COMMAND_LINE, user.id);
  const [, reset] = await server.reached(2);
  expect(reset?.subject).toBe('Your second factors at auth.example.com were removed');
  expect(reset?.text).toContain('Removed by: an administrator\n');
  expect(reset?.text).toContain('You log in with your password, and can add new ones after that.');
});

test('Interface 17 and 20: metadata adds neither lines nor links to a mail', async () => {
  const user = await gateway.user();
  const about = { userId: user.id, ipAddress: '203.0.113.7', userAgent: '' };
  const hostile = 'https://evil.example\r\n\r\n';
  const events = [
    { eventType: 'factor_added', ...about, metadata: { factor_id: '', kind: hostile, family_id: '' } },
    { eventType: 'recovery_code_used', ...about, metadata: { left: hostile, family_id: '' } },
  ];
  for (const event of events) await writeAudit(gateway.app.db, [event as never], gateway.clock.now());
  const mails = await server.reached(2);
  expect(mails.some(({ text }) => text.includes('evil.example'))).toBe(false);
});
