/** A virtual phone: from a forgotten password to the end of a session that somebody else began. (Interface 21) */
import type { BrowserContext, Page } from 'playwright-core';
import { FROM } from '../../mail/mailing.js';
import type { ReceivedMail } from '../../mail/read-mail.js';
import { type SmtpServer, startSmtpServer } from '../../mail/smtp-server.js';
import { PASSWORD, refreshTokenOf } from '../../support/gateway/gateway.js';
import { CHOSEN } from '../../support/gateway/passwords.js';
import { login, refresh } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { GOOD, lookAt } from '../console/console.js';
import { inChromium, type Site } from '../site.js';
import { startAccount } from './account.js';

const PHONE =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const STRANGER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0';

inChromium('in Chromium, on a phone', () => {
  let server: SmtpServer;
  let site: Site;
  let phone: BrowserContext;
  beforeAll(async () => {
    server = await startSmtpServer();
    site = await startAccount({ env: { MAIL: 'smtp', SMTP_URL: server.url, MAIL_FROM: FROM } });
    const viewport = { width: 360, height: 740 };
    phone = await site.browser.newContext({ viewport, hasTouch: true, isMobile: true, userAgent: PHONE });
    phone.setDefaultTimeout(60_000);
  });
  afterAll(async () => {
    await site?.close();
    await server?.[Symbol.asyncDispose]();
  });

  async function open(address: string): Promise<Page> {
    const page = await phone.newPage();
    await page.goto(address);
    return page;
  }

  /** @returns an address in the mail about something */
  async function addressInMail(subject: RegExp, address: RegExp): Promise<string> {
    const isIt = (mail: ReceivedMail) => subject.test(mail.subject);
    await until(`a mail about ${subject}`, async () => server.mails.some(isIt));
    return address.exec(server.mails.find(isIt)?.text ?? '')?.[0] ?? '';
  }

  test('Interface 21: a forgotten password, a login, a notice, and the end of a session, by touch alone', async () => {
    const { email } = await site.gateway.user();
    const account = `${site.edge.url}/account`;
    expect((await login(site.gateway, email, PASSWORD, { 'user-agent': PHONE })).status).toBe(200); // some day before

    const page = await open(account);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('link', { name: 'Forgot your password?' }).tap();
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByRole('button', { name: 'Send me a link' }).tap();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();

    const mailed = await open(await addressInMail(/^New password for/, /http\S+\/set-password#token=\S+/));
    await mailed.getByLabel('New password').fill(CHOSEN);
    expect(await lookAt(mailed)).toEqual(GOOD);
    await mailed.getByRole('button', { name: 'Set password' }).tap();
    await mailed.getByText('You can log in now.').waitFor();
    await mailed.close();

    await page.goBack(); // to the login, where the way began
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(CHOSEN);
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByRole('button', { name: 'Log in' }).tap();
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor();
    await page.close();

    const stranger = await login(site.gateway, email, CHOSEN, { 'user-agent': STRANGER });
    const noticed = await open(await addressInMail(/^New login to/, /http\S+\/account#sessions/));
    const rows = noticed.getByRole('table', { name: 'Where you are logged in' }).getByRole('row');
    const row = rows.filter({ hasText: 'Firefox 143 on Windows' });
    await row.waitFor();
    await rows.filter({ hasText: 'This one' }).getByText('Chrome').waitFor();
    expect(await lookAt(noticed)).toEqual(GOOD);
    expect(await noticed.getByRole('heading', { name: 'Where you are logged in' }).isVisible()).toBe(true);
    await row.getByRole('button', { name: /^End/ }).tap();
    await noticed.getByRole('dialog').getByText('Firefox').waitFor();
    expect(await lookAt(noticed)).toEqual(GOOD);
    await noticed.getByRole('dialog').getByRole('button', { name: 'End session' }).tap();
    await row.waitFor({ state: 'detached' });

    expect((await refresh(site.gateway, refreshTokenOf(stranger))).status).toBe(401);
    await noticed.reload();
    await rows.filter({ hasText: 'This one' }).waitFor();
  });
});
