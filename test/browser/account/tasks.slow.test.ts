/** Ten tasks of somebody who has never heard of the gateway, on a phone, by touch alone. (Interface 21) */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { FROM } from '../../mail/mailing.js';
import { type SmtpServer, startSmtpServer } from '../../mail/smtp-server.js';
import { codeAt } from '../../support/gateway/factors.js';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { CHOSEN } from '../../support/gateway/passwords.js';
import { login } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { plugIn } from '../authenticator.js';
import { GOOD, lookAt } from '../console/console.js';
import { inChromium, type Site } from '../site.js';
import { FIREFOX, startAccount, whole } from './account.js';

const NEW_EMAIL = 'ada.lovelace@example.net';

inChromium('in Chromium, on a phone, the account page', () => {
  let server: SmtpServer;
  let site: Site;
  beforeAll(async () => {
    server = await startSmtpServer();
    site = await startAccount({ env: { MAIL: 'smtp', SMTP_URL: server.url, MAIL_FROM: FROM } });
  });
  afterAll(async () => {
    await site?.close();
    await server?.[Symbol.asyncDispose]();
  });

  /** The first address of this form in a mail to somebody */
  async function addressInMail(to: string, form: RegExp): Promise<string> {
    let found: string | undefined;
    await until(`a mail to ${to} has ${form}`, () => {
      found = server.mails.flatMap(({ headers, text }) => (headers.get('to') === to ? (form.exec(text) ?? []) : []))[0];
      return found !== undefined;
    });
    return found ?? '';
  }

  test('Interface 21: log in, change e-mail and password, add an app and a passkey, renew the codes, end one session and all, download, leave', async () => {
    const { email, id } = await site.gateway.user({ email: 'ada@example.com' });
    const phone = await site.browser.newContext({
      ...{ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    });
    phone.setDefaultTimeout(60_000);
    const page = await phone.newPage();
    const wrong: string[] = [];
    page.on('pageerror', ({ message }) => wrong.push(message));
    const tap = (name: string | RegExp) => page.getByRole('button', { name }).last().tap();
    const said = (text: string) => page.getByRole('status').getByText(text).waitFor();
    const look = async (on: Page = page): Promise<void> => expect(await lookAt(on)).toEqual(GOOD);

    // 1. Log in
    await page.goto(`${site.edge.url}/account`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await look();
    await tap('Log in');
    await whole(page);
    await look();

    // 2. Change the e-mail, by the link in a mail
    await page.getByLabel('New e-mail').fill(NEW_EMAIL);
    await tap('Change e-mail');
    await said('If the address is free, a message is on its way.');
    await page.getByText(`If no other account uses ${NEW_EMAIL}`).waitFor();
    await page.goto(await addressInMail(NEW_EMAIL, /http\S+#email=\S+/));
    await page.getByText(`Your e-mail becomes ${NEW_EMAIL}`).waitFor();
    await look();
    await tap('Confirm this e-mail');
    await said(`Your e-mail is ${NEW_EMAIL} now.`);
    await page.getByText(`You log in with ${NEW_EMAIL}.`).waitFor();

    // 3. Change the password
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill(CHOSEN);
    await tap('Change password');
    await said('Your password was changed.');
    for (const userAgent of [FIREFOX, 'one', 'another']) {
      expect((await login(site.gateway, NEW_EMAIL, CHOSEN, { 'user-agent': userAgent })).status).toBe(200);
    }

    // 4. Add an authenticator app, and save the recovery codes
    await tap('Add an authenticator app');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Open in the app, or/).waitFor();
    const secret = (await dialog.locator('pre').innerText()).replaceAll(' ', ''); // in groups of four
    await look();
    await dialog.getByLabel('Code').fill(codeAt(secret, site.gateway.clock.now()));
    await tap('Add app');
    await dialog.getByText('Save them now').waitFor();
    const codes = await dialog.locator('pre').innerText();
    await look();
    await tap('I have saved them');

    // 5. Add a passkey
    await plugIn(page);
    await tap('Add a passkey');
    await tap(/^Add passkey$/);
    await said('The passkey was added.');

    // 6. Renew the recovery codes
    await tap('New recovery codes');
    await tap('Make new codes');
    await dialog.getByText('Save them now').waitFor();
    expect(await dialog.locator('pre').innerText()).not.toBe(codes);
    await tap('I have saved them');
    await page.getByText('10 recovery codes are left.').waitFor();

    // 7. End one session
    await page.goto('about:blank');
    await page.goto(`${site.edge.url}/account#sessions`);
    await whole(page);
    expect(await page.getByRole('row').filter({ hasText: 'This one' }).getByRole('button').count()).toBe(0);
    await look();
    await tap('End the session of Firefox 143 on Linux');
    await tap('End session');
    await said('The session was ended.');
    expect(await liveSessions(id)).toBe(3);

    // 8. End all others
    await tap('End all others');
    await tap('End them');
    await said('2 sessions were ended.');
    expect(await liveSessions(id)).toBe(1);

    // 9. Download
    const [file] = await Promise.all([page.waitForEvent('download'), tap('Download my data')]);
    const text = await readFile(await file.path(), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ id, user: { email: NEW_EMAIL } });
    expect(text).not.toMatch(/\$argon2|"password_hash"/);

    // 10. Leave
    await tap('Delete my account');
    await look();
    await page.getByLabel('Your e-mail').fill(NEW_EMAIL);
    await dialog.getByRole('button', { name: 'Delete my account' }).tap();
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
    await look();
    expect(await site.gateway.rows('select from users where id = $1', [id])).toEqual([]);
    expect((await phone.cookies()).filter(({ name }) => name === 'refresh_token')).toEqual([]);
    expect(wrong).toEqual([]);
    await phone.close();
  });

  async function liveSessions(userId: string): Promise<number> {
    const rows = await site.gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [userId]);
    return rows.length;
  }
});
