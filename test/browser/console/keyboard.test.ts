/** From the login to an ended session and out again, by keyboard alone. (Interface 19) */
import { PASSWORD } from '../../support/gateway/gateway.js';
import { login } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, openAlone, openConsole, startConsole } from './console.js';

/** What has the focus, as a screen reader names it: role or element, and text */
const FOCUSED = `(() => {
  const { activeElement: e } = document;
  const name = e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent;
  return e.localName + ': ' + name.trim();
})()`;

inChromium('in Chromium, by keyboard alone', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  test('Interface 19: somebody logs in, finds a user, ends their session, and logs out', async () => {
    const { email } = await site.gateway.user({ role: 'admin' });
    const other = await site.gateway.user({ role: 'viewer' });
    expect((await login(site.gateway, other.email)).status).toBe(200);
    const { page, wrong, close } = await openAlone(site, '/console/');
    await expectHeading(page, 'Log in');
    const { keyboard } = page;
    const focused = (): Promise<string> => page.evaluate<string>(FOCUSED);
    /** Presses Tab until the focus is there. @throws if it comes round */
    const tabTo = async (wanted: string): Promise<void> => {
      for (let steps = 0; steps < 60; steps += 1) {
        await keyboard.press('Tab');
        if ((await focused()) === wanted) return;
      }
      throw new Error(`Tab does not reach ${wanted}`);
    };

    await tabTo('input: E-mail');
    await keyboard.type(email);
    await keyboard.press('Tab');
    await until('the password has the focus', async () => (await focused()) === 'input: Password');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await expectHeading(page, 'Overview');
    await until('the heading of the view has the focus', async () => (await focused()) === 'h1: Overview');

    await page.reload();
    await expectHeading(page, 'Overview');
    await tabTo('input: Search');
    await keyboard.type(other.id);
    await keyboard.press('Enter');
    await until('the heading of the user has the focus', async () => (await focused()) === `h1: ${other.email}`);

    await page.getByRole('button', { name: 'End all sessions' }).waitFor();
    await tabTo('button: End all sessions');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await until('the dialog has the focus', () =>
      page.evaluate<boolean>(`document.activeElement.closest('dialog') !== null`),
    );
    await keyboard.press('Escape');
    await until('the focus is back', async () => (await focused()) === 'button: End all sessions');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    const action = page.getByRole('dialog').getByRole('button').last();
    await tabTo(`button: ${await action.innerText()}`);
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const live = await site.gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [other.id]);
    expect(live).toEqual([]);

    await tabTo('button: Log out');
    await keyboard.press('Enter');
    await expectHeading(page, 'Log in');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the first Tab leads past the header', async () => {
    const { email } = await site.gateway.user({ role: 'analyst' });
    const { page, close } = await openAlone(site, '/console/users');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await expectHeading(page, 'Users');
    const skip = page.getByRole('link', { name: 'Skip to the view' });
    await skip.focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, 'e.id', 'view');
    expect(page.url()).toContain('/console/users');
    await expectHeading(page, 'Users');
    await close();
  });

  test('Interface 19: a dialog that is opened again at once stays open', async () => {
    const other = await site.gateway.user();
    const { page, wrong, close } = await openConsole(site, 'admin', `/console/users/${other.id}`);
    await page.getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('dialog').waitFor();
    // Before the browser reports that the first one is closed
    await page.evaluate(`new Promise((resolve) => {
      const first = document.querySelector('dialog');
      const opener = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Change role');
      first.addEventListener('close', () => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      new MutationObserver((_changes, observer) => {
        if (first.isConnected) return;
        observer.disconnect();
        opener.click();
      }).observe(document.body, { childList: true, subtree: true });
      first.dispatchEvent(new Event('cancel', { cancelable: true }));
    })`);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });
});
