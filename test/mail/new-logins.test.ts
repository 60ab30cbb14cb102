/** A user is told of a login with a browser and system that they have not used before. (Interface 21) */
import { type Answer, PASSWORD, type TestGateway } from '../support/gateway/gateway.js';
import { counted, countOf, issueMailed, NEW_PASSWORD, settled, startMailing } from './mailing.js';
import { type SmtpServer, startSmtpServer } from './smtp-server.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
const NEWER_FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const FIREFOX_ON_WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

let server: SmtpServer;
let gateway: TestGateway;
beforeEach(async () => {
  server = await startSmtpServer();
});
afterEach(async () => {
  await gateway.close();
  await server[Symbol.asyncDispose]();
});

/** @param userAgent undefined: no such header */
async function logInWith(email: string, userAgent: string | undefined, password = PASSWORD): Promise<Answer> {
  const headers: Record<string, string> = userAgent === undefined ? {} : { 'user-agent': userAgent };
  const answer = await gateway.send('POST', '/auth/login', { headers, body: { email, password } });
  expect(answer.status).toBe(200);
  gateway.clock.advance(1);
  return answer;
}

const hour = async (): Promise<void> => {
  await settled(gateway);
  gateway.clock.advance(3_600);
};

test('Interface 21: the first login is no news, nor is another version; another browser or system is', async () => {
  gateway = await startMailing(server.url, { env: { ACCOUNT: 'on', PRODUCT_NAME: 'Example & Co' } });
  const { email } = await gateway.user({ email: 'ada@example.com' });
  await logInWith(email, FIREFOX);
  await logInWith(email, NEWER_FIREFOX);
  await counted(gateway, 'known', 2);
  await logInWith(email, FIREFOX_ON_WINDOWS);
  const [mail] = await server.reached(1);
  expect(mail?.headers.get('to')).toBe('ada@example.com');
  expect(mail?.subject).toBe('New login to your account at Example & Co');
  expect(mail?.text).toContain('\nBrowser: Firefox on Windows\nAddress: 127.0.0.1\nTime: ');
  expect(mail?.text).toMatch(/If this was not you, .*:\n\nhttps:\/\/auth\.example\.com\/account#sessions\n$/);
  expect(mail?.html).toContain('href="https://auth.example.com/account#sessions">auth.example.com</a>');
  await hour();
  await logInWith(email, FIREFOX_ON_WINDOWS);
  await logInWith(email, SAFARI);
  expect((await server.reached(2))[1]?.text).toContain('\nBrowser: Safari on iOS\n');
  await settled(gateway);
  expect(await gateway.rows(`select user_agent, metadata from audit_events where event_type = 'notice_sent'`)).toEqual([
    { user_agent: '', metadata: { kind: 'new_login' } },
    { user_agent: '', metadata: { kind: 'new_login' } },
  ]);
});

test('Interface 21: of each browser one login is new, also if its session has ended and its records are gone', async () => {
  gateway = await startMailing(server.url);
  const { email } = await gateway.user();
  await logInWith(email, FIREFOX);
  await logInWith(email, SAFARI);
  await server.reached(1);
  await hour();
  await gateway.rows('delete from refresh_tokens');
  await logInWith(email, SAFARI);
  await counted(gateway, 'known', 2);
  expect(server.mails).toHaveLength(1);
});

test('Interface 21: if the audit log has dropped the login, its session and its device still count', async () => {
  gateway = await startMailing(server.url, { env: { KNOWN_DEVICES: 'on' } });
  const { email } = await gateway.user();
  await logInWith(email, FIREFOX);
  await logInWith(email, SAFARI);
  await server.reached(1);
  await hour();
  await gateway.rows(`delete from audit_events where event_type = 'login_success'`);
  await logInWith(email, FIREFOX);
  await counted(gateway, 'known', 2);
  await gateway.rows('delete from refresh_tokens');
  await gateway.rows(`delete from audit_events where event_type = 'login_success'`);
  await logInWith(email, SAFARI);
  await counted(gateway, 'known', 3);
  await logInWith(email, FIREFOX_ON_WINDOWS);
  await server.reached(2);
});

test('Interface 21: a refresh from elsewhere, and the login after an invitation, are no news', async () => {
  gateway = await startMailing(server.url);
  const user = await gateway.user();
  const token = await issueMailed(gateway, user, 'invitation');
  await server.reached(1);
  const body = { token, new_password: NEW_PASSWORD };
  const redeemed = await gateway.send('POST', '/auth/password/redeem', { headers: { 'user-agent': SAFARI }, body });
  expect(redeemed.status).toBe(204);
  await server.reached(2);
  const { cookies } = await logInWith(user.email, FIREFOX, NEW_PASSWORD);
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ');
  const headers = { cookie, 'user-agent': SAFARI, origin: 'https://auth.example.com' };
  expect((await gateway.send('POST', '/auth/refresh', { headers })).status).toBe(200);
  await settled(gateway);
  expect(server.mails.map(({ subject }) => subject)).not.toContainEqual(expect.stringContaining('New login'));
});

test('Interface 21: a hostile User-Agent brings no word of its own into a mail, and none is an unknown browser', async () => {
  gateway = await startMailing(server.url);
  const hostile = [
    'Your account is closed, visit evil.example/1.0 now',
    '<a href="https://evil.example">Firefox</a>',
    `curl/8.5.0 ${'/'.repeat(500)}`,
    undefined,
  ];
  for (const [index, userAgent] of hostile.entries()) {
    const { email } = await gateway.user();
    await logInWith(email, FIREFOX);
    await logInWith(email, userAgent);
    const mail = (await server.reached(index + 1)).at(-1);
    expect(mail?.text).toMatch(/\nBrowser: (an unknown browser|Firefox)\n/);
    expect(`${mail?.text}${mail?.html}`).not.toContain('evil');
  }
  const { email } = await gateway.user();
  await logInWith(email, undefined);
  await logInWith(email, undefined);
  await logInWith(email, 'curl/8.5.0');
  await server.reached(hostile.length + 1);
  await hour();
  await logInWith(email, 'curl/9.0.0');
  await settled(gateway);
  expect(server.mails).toHaveLength(hostile.length + 1);
});

test.each(['none', 'password_changed'])(
  'Interface 21: with MAIL_NOTICES=%s a login is not looked at',
  async (kinds) => {
    gateway = await startMailing(server.url, { env: { MAIL_NOTICES: kinds } });
    const { email } = await gateway.user();
    await logInWith(email, FIREFOX);
    await logInWith(email, SAFARI);
    await settled(gateway);
    expect(server.commands).toEqual([]);
    expect(await countOf(gateway, 'known')).toBe(0);
  },
);
