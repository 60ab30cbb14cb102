/** Changes that were made, but whose answer was lost: the page finds out, or says that nobody knows. (Interface 21) */
import type { Page } from 'playwright-core';
import { beginChange, changeEmail, newAddress } from '../../support/gateway/account.js';
import { codeAt } from '../../support/gateway/factors.js';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { signIn } from '../../support/gateway/graphql.js';
import { CHOSEN } from '../../support/gateway/passwords.js';
import { login } from '../../support/gateway/routes.js';
import { expectFocus, GOOD, lookAt, openAlone } from '../console/console.js';
import { inChromium, type Site } from '../site.js';
import { FIREFOX, logInElsewhere, openAccount, startAccount, whole } from './account.js';

const HOUR_MS = 3_600_000;
const UNKNOWN = 'Nobody knows whether this was done: look before you try again.';

inChromium('in Chromium, after a lost answer, the account page', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startAccount({ outboxPollMs: HOUR_MS, env: { PRODUCT_NAME: 'Ada & Co' } }); // the tokens wait for their mail
  });
  afterAll(() => site?.close());

  /** The gateway gets the request, and the page no answer. */
  const loseAnswer = (page: Page, route: string) =>
    page.route(route, async (request) => {
      await request.fetch();
      await request.abort();
    });
  const loseRequest = (page: Page, route: string) => page.route(route, (request) => request.abort());

  async function changePassword(page: Page): Promise<void> {
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill(CHOSEN);
    await page.keyboard.press('Enter');
  }

  test('Interface 21: a new password is found by a proof with it, and the list shows that the other sessions ended', async () => {
    const { page, email, close } = await openAccount(site);
    await logInElsewhere(site, email, FIREFOX);
    await page.getByRole('navigation').getByRole('link', { name: 'Sessions' }).click(); // which reads them again
    const other = page.getByRole('button', { name: 'End the session of Firefox 143 on Linux' });
    await other.waitFor();
    await loseAnswer(page, '**/auth/password');
    await changePassword(page);
    await page.getByRole('status').getByText('Your password was changed. Your other sessions were ended.').waitFor();
    await other.waitFor({ state: 'detached' });
    expect((await login(site.gateway, email, CHOSEN)).status).toBe(200);
    await close();
  });

  test('Interface 21: if that cannot be read, nobody knows; the next attempt finds the new password', async () => {
    const { page, close } = await openAccount(site);
    await loseAnswer(page, '**/auth/password');
    await loseRequest(page, '**/auth/confirm');
    await changePassword(page);
    await page.getByRole('alert').getByText(UNKNOWN).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.unroute('**/auth/password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('An earlier attempt, whose answer was lost, may have worked.').waitFor();
    await page.unrouteAll();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Your password was changed.').waitFor();
    await close();
  });

  test('Interface 21: a request that was lost on its way is made by the next attempt', async () => {
    const { page, email, close } = await openAccount(site);
    await loseRequest(page, '**/auth/password');
    await changePassword(page);
    await page.getByRole('alert').getByText(UNKNOWN).waitFor();
    await page.unrouteAll();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Your password was changed. You had no other session.').waitFor();
    expect((await login(site.gateway, email, CHOSEN)).status).toBe(200);
    await close();
  });

  test('Interface 21: a new e-mail is read, and shown with the focus on its section', async () => {
    const user = await site.gateway.user();
    const to = newAddress();
    const token = await beginChange(site.gateway, await signIn(site.gateway, user), to);
    const { page, close } = await openAlone(site, `/account#email=${token}`, { email: user.email });
    await page.getByText(`Your e-mail becomes ${to}`).waitFor();
    await whole(page);
    await loseAnswer(page, '**/auth/email/redeem');
    await page.getByRole('button', { name: 'Confirm this e-mail' }).click();
    await page.getByRole('status').getByText(`Your e-mail is ${to} now.`).waitFor();
    await page.getByText(`You log in with ${to}.`).waitFor();
    await expectFocus(page, 'e.textContent', 'E-mail');
    await close();
  });

  test('Interface 21: what the former address took back has probably worked, and its button is gone', async () => {
    const changed = await changeEmail(site.gateway, await signIn(site.gateway, await site.gateway.user()));
    const { page, close } = await openAlone(site, `/account#undo=${changed.wayBack}`);
    const button = page.getByRole('button', { name: 'Take it back' });
    await loseAnswer(page, '**/auth/email/undo');
    await button.click();
    await page.getByRole('alert').getByText(UNKNOWN).waitFor();
    await page.unrouteAll();
    await button.click();
    await page.getByRole('alert').getByText('has probably worked').waitFor();
    expect(await button.count()).toBe(0);
    expect(await lookAt(page)).toEqual(GOOD);
    await close();
  });

  test('Interface 21: an account whose session then ends is deleted', async () => {
    const { page, id, email, close } = await openAccount(site);
    const leave = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Delete my account' }).last().click();
    };
    await leave();
    await page.getByLabel('Your e-mail').fill(email);
    await loseRequest(page, '**/auth/account');
    await leave();
    await page.getByRole('alert').getByText(UNKNOWN).waitFor(); // and the session goes on
    await page.unrouteAll();
    await loseAnswer(page, '**/auth/account');
    await leave();
    await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
    await page.getByText('If Ada & Co asks you to log in').waitFor();
    expect(await site.gateway.rows('select from users where id = $1', [id])).toEqual([]);
    await close();
  });

  test('Interface 20: an authenticator app is found, with recovery codes in the place of those that were lost', async () => {
    const { page, email, close } = await openAccount(site);
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('link').getAttribute('href')).toContain('&issuer=Ada%20%26%20Co&');
    const secret = (await dialog.locator('pre').innerText()).replaceAll(' ', '');
    await dialog.getByLabel('Code').fill(codeAt(secret, site.gateway.clock.now()));
    await loseAnswer(page, '**/auth/factors/totp/*');
    await page.keyboard.press('Enter');
    await dialog.getByText(`Recovery codes of ${email} at Ada & Co.`).waitFor();
    expect((await dialog.locator('pre').innerText()).split('\n')).toHaveLength(10);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();

    await page.getByRole('button', { name: 'Remove Authenticator app' }).click();
    await loseAnswer(page, '**/auth/factors/*');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('status').getByText('The second factor was removed.').waitFor();
    await close();
  });
});
