/** A forgotten password, the whole way: the page, a mail server, the link in its mail, and a login. (Interface 15 and 17) */
import type { Page } from 'playwright-core';
import { FROM } from '../mail/mailing.js';
import { type SmtpServer, startSmtpServer } from '../mail/smtp-server.js';
import { PASSWORD } from '../support/gateway/gateway.js';
import { CHOSEN, issueLink, redeem } from '../support/gateway/passwords.js';
import { whileAway } from '../support/postgres/faults.js';
import { freePort } from '../support/programs/redis.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

const SENT = 'If this address has an account, a message is on its way.';

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.id');
const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();

/** Opens it in a window of its own. */
async function open(site: Site, address: string = site.gateway.config.setPasswordUrl): Promise<Page> {
  const profile = await site.profile();
  const page = await profile.newPage();
  await page.goto(address);
  return page;
}

/** With the keyboard alone, in place of what is in the field */
async function ask(page: Page, email: string): Promise<void> {
  while ((await focused(page)) !== 'forgot-email') await page.keyboard.press('Tab');
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
}

/** Logs in on a page with the client. @returns what the user is told; nothing if that worked */
async function logIn(site: Site, email: string, password: string): Promise<string> {
  const page = await open(site, site.edge.url);
  const told = await page.evaluate<string>(
    `auth.login(${JSON.stringify({ email, password })}).then(() => '', (error) => error.detail)`,
  );
  await page.context().close();
  return told;
}

inChromium('in Chromium, with a mail server, somebody has forgotten a password', () => {
  let server: SmtpServer;
  let site: Site;
  const start = (env: Record<string, string> = {}): Promise<Site> =>
    startSite({ launch: launchHeadlessShell, env: { MAIL: 'smtp', SMTP_URL: server.url, MAIL_FROM: FROM, ...env } });
  beforeEach(async () => {
    server = await startSmtpServer();
    site = await start();
  });
  afterEach(async () => {
    await site?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test('Interface 15: by keyboard from the page to a mail, and by its link to a password that logs in', async () => {
    const { email } = await site.gateway.user();
    expect(await logIn(site, email, PASSWORD)).toBe('');
    const page = await open(site);
    expect(await heading(page)).toBe('Forgot your password?');
    await ask(page, email);
    await page.getByRole('status').getByText(SENT).waitFor();

    const [mail] = await server.reached(1);
    expect(mail?.headers.get('to')).toBe(email);
    expect(mail?.link).toMatch(`${site.gateway.config.setPasswordUrl}#token=pl_`);
    const chosen = await open(site, mail?.link);
    expect(await heading(chosen)).toBe('Set your password');
    while ((await focused(chosen)) !== 'password') await chosen.keyboard.press('Tab');
    await chosen.keyboard.type(CHOSEN);
    await chosen.keyboard.press('Enter');
    await chosen.getByText('You can log in now.').waitFor();

    expect(await logIn(site, email, PASSWORD)).toBe('Invalid credentials');
    expect(await logIn(site, email, CHOSEN)).toBe('');
    const again = await open(site, mail?.link);
    await again.getByText('This link is not valid any more').waitFor();
    expect(await logIn(site, email, CHOSEN)).toBe('');
    for (const each of [page, chosen, again]) await each.context().close();
  });

  test('Interface 15: an unknown and a deactivated e-mail show the very same page, and are mailed nothing', async () => {
    const [known, former] = [await site.gateway.user(), await site.gateway.user()];
    await site.gateway.rows('update users set is_active = false where id = $1', [former.id]);
    const seen: unknown[] = [];
    for (const email of ['nobody@example.com', former.email, known.email]) {
      const page = await open(site);
      await ask(page, email);
      await page.getByText(SENT).waitFor();
      seen.push(
        [await page.title(), await page.locator('main').ariaSnapshot(), await focused(page)]
          .join('\n')
          .replace(email, 'EMAIL'),
      );
      await page.context().close();
    }
    expect(seen[2]).toContain('textbox "E-mail": EMAIL');
    expect(seen).toEqual([seen[2], seen[2], seen[2]]);
    const [first] = await server.reached(1); // mail is read in order
    expect(first?.headers.get('to')).toBe(known.email);
  });

  test('Interface 15: without a gateway, and without its database, the same can be sent again', async () => {
    const { email } = await site.gateway.user();
    const page = await open(site);
    const problem = page.getByRole('alert');
    site.edge.leadTo(`http://127.0.0.1:${await freePort()}`);
    await ask(page, email);
    await problem.getByText('No answer came. Check your connection, then try again.').waitFor();
    expect(await focused(page)).toBe('forgot-submit');
    site.edge.leadTo(site.gateway.url);
    await whileAway(site.gateway.database, async () => {
      await page.keyboard.press('Enter');
      await problem.getByText('The service is not available at the moment. Try again in a minute.').waitFor();
    });
    expect(await page.getByRole('status').getByText(SENT).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText(SENT).waitFor();
    expect(await problem.count()).toBe(0);
    expect((await server.reached(1)).map(({ headers }) => headers.get('to'))).toEqual([email]);
    await page.context().close();
  });

  test('Interface 15: beyond the login limit, and with what is no e-mail, nothing is mailed', async () => {
    const limited = await start({ LOGIN_RATE_LIMIT: '2', LOGIN_RATE_WINDOW_SECONDS: '900' });
    const { email } = await limited.gateway.user();
    const page = await open(limited);
    const problem = page.getByRole('alert');
    await ask(page, '');
    await problem.getByText('Enter your e-mail.').waitFor();
    await ask(page, 'ada@example'); // refused by the gateway, which counts it
    await problem.getByText('Enter a whole e-mail address, such as name@example.com.').waitFor();
    expect(await focused(page)).toBe('forgot-email');
    await ask(page, email);
    await page.getByText(SENT).waitFor();
    await ask(page, email);
    await problem.getByText('There were too many attempts. Wait 15 minutes, then try again.').waitFor();
    expect([await focused(page), await page.getByText(SENT).count()]).toEqual(['forgot-submit', 1]);
    expect(
      await limited.gateway.rows("select from audit_events where event_type = 'password_reset_requested'"),
    ).toHaveLength(1);
    await page.context().close();
    await limited.close();
  });
});

inChromium('in Chromium, where no mail is sent', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell, env: { MAIL: 'off' } });
  });
  afterAll(() => site?.close());

  test('Interface 15: no page asks for an e-mail, and none leads to one that does', async () => {
    const { id } = await site.gateway.user();
    const token = await issueLink(site.gateway, id);
    await redeem(site.gateway, token);
    const { setPasswordUrl } = site.gateway.config;
    for (const [hash, title] of [
      ['', 'Open your link again'],
      ['#token=pl_cut', 'Open your link again'],
      [`#token=${token}`, 'This link is not valid any more'],
    ] as const) {
      const page = await open(site, `${setPasswordUrl}${hash}`);
      await page.getByRole('heading', { name: title }).waitFor();
      expect([hash, await page.locator(':is(form, input, button, a):visible').count()]).toEqual([hash, 0]);
      expect(await page.locator('main').innerText()).not.toMatch(/enter your|forgot|log in/i);
      await page.context().close();
    }
    for (const path of ['/', '/graphql']) {
      const page = await open(site, `${site.gateway.url}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      expect([path, await page.locator('a[href*="set-password"]').count()]).toEqual([path, 0]);
      await page.context().close();
    }
  });
});
