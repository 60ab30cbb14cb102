/** The links of mails about an e-mail: opening one changes nothing, and its token is nowhere but in memory. (Interface 21) */
import type { Page } from 'playwright-core';
import { beginChange, changeEmail, newAddress, waitingToken } from '../../support/gateway/account.js';
import { signIn } from '../../support/gateway/graphql.js';
import { login } from '../../support/gateway/routes.js';
import { expectFocus, GOOD, logIn, lookAt, openAlone } from '../console/console.js';
import { inChromium, type Site } from '../site.js';
import { openAccount, startAccount, whole } from './account.js';

const HOUR_MS = 3_600_000;
const DEAD = `el_${'0'.repeat(49)}`;

inChromium('in Chromium, the links to the account page', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startAccount({ outboxPollMs: HOUR_MS }); // the tokens wait for their mail
  });
  afterAll(() => site?.close());

  const emailOf = async (id: string): Promise<unknown> =>
    (await site.gateway.rows<{ email: string }>('select email from users where id = $1', [id]))[0]?.email;
  const confirmButton = (page: Page) => page.getByRole('button', { name: 'Confirm this e-mail' });

  async function expectNowhere(page: Page, token: string): Promise<void> {
    const seen = await page.evaluate<string>(
      'JSON.stringify([document.documentElement.outerHTML, location.href, history.state, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(seen).not.toContain(token);
    expect(page.url()).toBe(`${site.edge.url}/account`);
  }

  test('Interface 21: the link to the new address asks for a login, then for a button; before that nothing changes', async () => {
    const person = await signIn(site.gateway, await site.gateway.user());
    const { id, email } = person.user;
    const to = newAddress();
    const token = await beginChange(site.gateway, person, to);
    const { page, wrong, close } = await openAlone(site, `/account#email=${token}`);
    await page.getByText('Log in with your present e-mail, then confirm the new one.').waitFor();
    await expectNowhere(page, token);
    expect(await lookAt(page)).toEqual(GOOD);
    await logIn(page, email);
    await page.getByText(`Your e-mail becomes ${to}`).waitFor();
    await expectNowhere(page, token);
    await whole(page);
    await expectFocus(page, 'e.textContent', 'Confirm your new e-mail');
    expect(await emailOf(id)).toBe(email);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(`Your e-mail is ${to} now.`).waitFor();
    await page.getByRole('banner').getByText(to).waitFor();
    await expectFocus(page, 'e.textContent', 'E-mail');
    expect(await confirmButton(page).count()).toBe(0);
    expect(await emailOf(id)).toBe(to);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: a dead link, one of somebody else, a part of one and a taken address say what to do', async () => {
    const other = await signIn(site.gateway, await site.gateway.user());
    const ofOther = await beginChange(site.gateway, other);
    const { page, id, email, wrong, close } = await openAccount(site);
    for (const token of [DEAD, ofOther]) {
      await page.evaluate(`location.hash = 'email=${token}'`); // in the tab that is open
      await confirmButton(page).click();
      await page.getByRole('alert').getByText('This link does nothing').waitFor();
      await expectFocus(page, 'e.textContent', 'Close');
      expect(await confirmButton(page).count()).toBe(0);
      await expectNowhere(page, token);
    }
    expect(await lookAt(page)).toEqual(GOOD);
    await page.evaluate(`location.hash = 'email=${ofOther.slice(0, -1)}'`);
    await page.getByRole('alert').getByText('A part of the link is missing.').waitFor();
    expect(await confirmButton(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Close' }).click();
    await expectFocus(page, 'e.textContent', 'E-mail');
    expect(await page.getByRole('heading', { name: 'Confirm your new e-mail' }).count()).toBe(0);

    const wanted = newAddress();
    await page.getByLabel('New e-mail').fill(wanted);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('If the address is free, a message is on its way.').waitFor();
    const token = await waitingToken(site.gateway, 'change', id);
    await site.gateway.user({ email: wanted });
    const notice = page.getByText('Your e-mail changes once you open the link in it');
    await notice.waitFor();
    await page.evaluate(`location.hash = 'email=${token}'`);
    await notice.waitFor({ state: 'detached' }); // it is open
    await confirmButton(page).click();
    await page.getByRole('alert').getByText('Another account has this e-mail by now.').waitFor();
    expect(await emailOf(id)).toBe(email);
    expect(await emailOf(other.user.id)).toBe(other.user.email);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: the link to the former address needs no login, and says what ends before it ends it', async () => {
    const changed = await changeEmail(site.gateway, await signIn(site.gateway, await site.gateway.user()));
    const { id } = changed.user;
    const { page, wrong, close } = await openAlone(site, `/account#undo=${changed.wayBack}`);
    await page.getByText('everybody who is logged in to it is logged out').waitFor();
    await expectNowhere(page, changed.wayBack);
    expect(await lookAt(page)).toEqual(GOOD);
    expect(await emailOf(id)).toBe(changed.email);

    await page.getByRole('button', { name: 'Take it back' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your e-mail is yours again' }).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(await emailOf(id)).toBe(changed.former);
    expect((await login(site.gateway, changed.former)).status).toBe(401);
    expect(await site.gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [id])).toEqual([]);
    await page.reload(); // the token is forgotten
    await page.getByLabel('Password').waitFor();

    for (const [token, text] of [
      [changed.wayBack, 'This link does nothing'],
      [changed.wayBack.slice(2), 'A part of the link is missing'],
    ]) {
      await page.goto(`${site.edge.url}/account#undo=${token}`);
      const button = page.getByRole('button', { name: 'Take it back' });
      await page.getByRole('heading', { name: 'Take back your e-mail' }).waitFor();
      if ((await button.count()) > 0) await button.click();
      await page
        .getByRole('alert')
        .getByText(text ?? '')
        .waitFor();
      expect(await button.count()).toBe(0);
      await expectFocus(page, 'e.textContent', 'Take back your e-mail');
    }
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: the change is taken back where its user is logged in: the page then asks for a login', async () => {
    const user = await site.gateway.user();
    const { email, id } = user;
    const { page, close } = await openAlone(site, '/account', { email });
    await whole(page);
    const { wayBack } = await changeEmail(site.gateway, await signIn(site.gateway, user));
    await page.evaluate(`location.hash = 'undo=${wayBack}'`);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByRole('heading', { name: 'Your e-mail is yours again' }).waitFor();
    await page.reload();
    await page.getByLabel('Password').waitFor();
    expect(await emailOf(id)).toBe(email);
    await close();
  });
});
