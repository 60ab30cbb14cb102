/** Keys of the whole console, and the list of commands. (Interface 19) */
import type { Page } from 'playwright-core';
import { until } from '../../support/until.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

inChromium('in Chromium, keys of the whole console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  const commands = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
  const help = (page: Page) => page.getByRole('dialog', { name: 'Keys' });
  const options = (page: Page) => commands(page).getByRole('option').allInnerTexts();

  async function open(role: 'admin' | 'viewer' = 'admin') {
    const opened = await openConsole(site, role);
    await expectHeading(opened.page, role === 'admin' ? 'Overview' : 'My sessions');
    return { ...opened, keyboard: opened.page.keyboard };
  }

  test('Interface 19: `/` leads to the search, and `g` with a letter to each view', async () => {
    const { page, keyboard, wrong, close } = await open();
    await keyboard.press('/');
    await expectFocus(page, 'e.id', 'search');
    await keyboard.type('gu?/');
    expect(await page.locator('#search').inputValue()).toBe('gu?/');
    await page.locator('main').click();
    const views: Record<string, string> = {
      ...{
        u: 'Users',
        s: 'Sessions',
        a: 'Audit log',
        k: 'Keys',
        w: 'Webhooks',
        g: 'Gateway',
        m: 'My sessions',
        o: 'Overview',
      },
    };
    for (const [letter, heading] of Object.entries(views)) {
      await keyboard.press('g');
      await keyboard.press(letter);
      await expectHeading(page, heading);
    }
    await keyboard.press('u'); // without `g`
    await keyboard.press('g');
    await keyboard.press('Control+k');
    await commands(page).waitFor();
    await keyboard.press('Escape');
    await keyboard.press('u'); // `g` was before something else
    await keyboard.press('g');
    await page.locator('main').click();
    await keyboard.press('u'); // and before a click
    await keyboard.press('?');
    await help(page).waitFor();
    await keyboard.press('g');
    await keyboard.press('u'); // in a dialog
    await keyboard.press('Escape');
    await help(page).waitFor({ state: 'detached' });
    await expectHeading(page, 'Overview');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: `?` names the keys, and keys without Ctrl can be switched off', async () => {
    const { page, keyboard, wrong, close } = await open();
    await keyboard.press('?');
    await help(page).getByRole('definition').filter({ hasText: 'Webhooks' }).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await help(page).getByRole('checkbox', { name: 'Keys without Ctrl' }).uncheck();
    await help(page).getByRole('button', { name: 'Close' }).click();
    await page.reload();
    await expectHeading(page, 'Overview');
    await keyboard.press('g');
    await keyboard.press('u');
    await keyboard.press('?');
    await keyboard.press('Control+k');
    await commands(page).waitFor();
    await keyboard.type('keys of the keyboard');
    await keyboard.press('Enter');
    await help(page).getByRole('checkbox').check();
    await keyboard.press('Escape');
    await help(page).waitFor({ state: 'detached' });
    await keyboard.press('g');
    await keyboard.press('u');
    await expectHeading(page, 'Users');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: Ctrl and K list views, actions and users, by keyboard and by pointer', async () => {
    const other = await site.gateway.user({ email: 'palette.person@example.com' });
    const { page, keyboard, wrong, close } = await open();
    const combobox = page.getByRole('combobox', { name: 'Command, view or e-mail' });
    await keyboard.press('/');
    await keyboard.press('Control+k'); // also where text is typed
    await combobox.waitFor();
    await expectFocus(page, 'e.role', 'combobox');
    expect((await options(page)).slice(0, 2)).toEqual([
      expect.stringMatching(/^Overview/),
      expect.stringMatching(/^Users/),
    ]);
    expect(await lookAt(page)).toEqual(GOOD);
    await keyboard.press('Escape');
    await commands(page).waitFor({ state: 'detached' });
    await expectFocus(page, 'e.id', 'search');

    await keyboard.press('Control+k');
    await keyboard.type('palette');
    await commands(page)
      .getByRole('option', { name: /palette\.person/ })
      .waitFor();
    await keyboard.press('Enter');
    await expectHeading(page, other.email);

    await keyboard.press('Control+k');
    await keyboard.type('create');
    const chosen = () => commands(page).getByRole('option', { selected: true }).innerText();
    await until('the first is chosen', async () => /^Create an API key/.test(await chosen()));
    for (const [key, name] of [
      ['ArrowDown', /^Create a cron key/],
      ['End', /^Create a webhook/],
      ['ArrowDown', /^Create an API key/],
      ['ArrowUp', /^Create a webhook/],
      ['Home', /^Create an API key/],
    ] as const) {
      await keyboard.press(key);
      await until(String(name), async () => name.test(await chosen()));
    }
    await keyboard.type(' no such thing');
    await commands(page).getByText('Nothing has this name.').waitFor();
    await keyboard.press('Enter');
    await combobox.fill('invite user');
    await commands(page).getByRole('option').click();
    await page.getByRole('dialog', { name: 'Invite user' }).waitFor();
    await keyboard.press('Escape');
    await page.reload();
    await expectHeading(page, 'Users');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: what is typed while the list of commands is loaded is in its field', async () => {
    const { page, keyboard, wrong, close } = await open();
    let letLoad = () => {};
    const mayLoad = new Promise<void>((resolve) => {
      letLoad = resolve;
    });
    await page.route(/command-list/, async (route) => {
      await mayLoad;
      await route.continue();
    });
    await keyboard.press('Control+k');
    await keyboard.type('g w?');
    expect(await page.getByRole('combobox', { name: 'Command, view or e-mail' }).count()).toBe(0);
    letLoad();
    const combobox = page.getByRole('combobox', { name: 'Command, view or e-mail' });
    await until('the field has it', async () => (await combobox.inputValue()) === 'g w?');
    await keyboard.press('Backspace');
    await keyboard.press('Enter'); // "Gateway" has both
    await expectHeading(page, 'Gateway');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: if the commands cannot be loaded, that is said, and keys are for the page again', async () => {
    const { page, keyboard, close } = await open();
    await page.route(/command-list/, (route) => route.abort());
    await keyboard.press('Control+k');
    await page.getByRole('status').getByText('The commands could not be loaded').waitFor();
    await keyboard.press('/');
    await keyboard.type('typed');
    expect(await page.locator('#search').inputValue()).toBe('typed');
    await close();
  });

  test('Interface 19: a role sees its commands alone', async () => {
    const { page, keyboard, wrong, close } = await open('viewer');
    await keyboard.press('Control+k');
    await commands(page).waitFor();
    expect((await options(page)).map((text) => text.split(/\s{2,}|\n/)[0])).toEqual([
      'My sessions',
      'Show the keys of the keyboard',
      'Log out',
    ]);
    await keyboard.type('log out');
    await keyboard.press('Enter');
    await expectHeading(page, 'Log in');
    expect(wrong).toEqual([]);
    await close();
  });
});
