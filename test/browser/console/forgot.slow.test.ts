/** The login of the console for somebody who has forgotten the password, or is locked. (Interface 19 and 21) */
import type { Page } from 'playwright-core';
import { withTotp } from '../../support/gateway/factors.js';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { CHOSEN, issueLink, redeem } from '../../support/gateway/passwords.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, logIn, lookAt, openAlone, startConsole } from './console.js';

const LOCKED = 'Account temporarily locked due to too many failed attempts, until ';
const NAME = 'Lighthouse & Daughters';
const UNLOCKS = 'A new password unlocks it at once: have a link sent to you.';

async function attempt(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** As the page writes it in its zone, which is that of the test */
const clockText = (at: Date): string => at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

/** What the page of forgotten passwords has in its field when it opens */
async function knownEmail(page: Page): Promise<string> {
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  return page.getByLabel('E-mail', { exact: true }).inputValue();
}

inChromium('in Chromium, the login of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole({ env: { MAIL: 'log', PRODUCT_NAME: NAME }, print: () => undefined });
  });
  afterAll(() => site?.close());

  /** Locks the account for so many minutes. */
  async function lock(id: string, minutes: number, on = site): Promise<void> {
    await on.gateway.rows(`update users set locked_until = now() + $2 * interval '1 minute' where id = $1`, [
      id,
      minutes,
    ]);
  }

  const forgot = (page: Page) => page.getByRole('link', { name: 'Forgot your password?' });

  test('Interface 21: it says whose it is, and to the next page the e-mail that was typed, which no server sees', async () => {
    const { page, close } = await openAlone(site);
    await expectHeading(page, 'Log in');
    expect(await page.locator('.brand').innerText()).toBe(`${NAME} ${new URL(site.edge.url).host}`);
    expect(await forgot(page).getAttribute('href')).toBe('/set-password');
    await page.getByLabel('E-mail').fill('ada+tag@example.com');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await forgot(page).click();
    expect(await knownEmail(page)).toBe('ada+tag@example.com');
    expect(page.url()).toBe(`${site.edge.url}/set-password`);
    expect(asked.filter((url) => /ada|example/.test(url.replace(/#.*/, '')))).toEqual([]);
    await close();
  });

  test('Interface 21: a locked person reads until when, and unlocks by a new password', async () => {
    const { id, email } = await site.gateway.user({ role: 'viewer' });
    const { page, wrong, close } = await openAlone(site, '/console/sessions');
    await lock(id, 10);
    await attempt(page, email);
    const alert = page.getByRole('alert');
    await alert.getByText(UNLOCKS).waitFor();
    const minutes = [10, 11].map((count) => clockText(new Date(Date.now() + count * 60_000)));
    const orTomorrow = '(?:.+ \\d{4}, )?';
    expect(await alert.innerText()).toMatch(
      new RegExp(`^${LOCKED}${orTomorrow}(?:${minutes.join('|')})\\. ${UNLOCKS}$`),
    );
    await alert.getByRole('link').click();
    expect(await knownEmail(page)).toBe(email);

    expect((await redeem(site.gateway, await issueLink(site.gateway, id), CHOSEN)).status).toBe(204);
    await page.goto(`${site.edge.url}/console/sessions`);
    await logIn(page, email, CHOSEN);
    await expectHeading(page, 'My sessions');
    expect(wrong.filter((text) => !text.includes('/set-password'))).toEqual([]);
    await close();
  });

  test('Interface 21: a lock of days has its date, and a lock in the second step says the same', async () => {
    const { user } = await withTotp(site.gateway, { role: 'viewer' });
    const { page, close } = await openAlone(site);
    await attempt(page, user.email);
    await page.getByLabel('Code').waitFor();
    await lock(user.id, 3 * 24 * 60);
    await page.getByLabel('Code').fill('123456');
    await page.keyboard.press('Enter');
    await page.getByText(/until \d{1,2} \w{3,4} \d{4}, \d\d:\d\d\./).waitFor();
    await page.getByRole('link', { name: 'have a link sent to you' }).click();
    expect(await knownEmail(page)).toBe(user.email);
    await close();
  });

  test('Interface 21: without mail it leads nowhere, and says when a lock ends alone', async () => {
    const off = await startConsole();
    const { id, email } = await off.gateway.user();
    const { page, close } = await openAlone(off);
    await lock(id, 10, off);
    await attempt(page, email);
    await page.getByRole('alert').getByText(LOCKED).waitFor();
    expect(await page.locator('a[href*="set-password"]').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('new password');
    await close();
    await off.close();
  });

  test.each(LOOKS)('Interface 21: %s, %i pixels wide: axe finds nothing at a locked login', async (scheme, width) => {
    const { id, email } = await site.gateway.user();
    const { page, close } = await openAlone(site, '/console/', { scheme, width });
    await lock(id, 10);
    await attempt(page, email);
    await page.getByText(UNLOCKS).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await close();
  });
});
