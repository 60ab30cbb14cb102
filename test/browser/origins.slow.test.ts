/** docs/login.md: the gateway on another origin than the page, with the variables that are printed there. */
import type { Browser, BrowserContext } from 'playwright-core';
import { testedBlock } from '../documents/printed.js';
import { arrange, type Origins } from './arrangement.js';
import { launchChromium, launchWithThirdPartyCookies } from './chromium.js';
import { variablesOf } from './printed.js';
import { inChromium, sidOf } from './site.js';

/** The variables of a block, for other origins than those that are printed. */
function variables(mark: string, { page, gateway }: Origins): Record<string, string> {
  const origins = {
    'http://localhost:5173': page,
    'http://localhost:3000': gateway,
    'https://app.example.com': page,
    'https://auth.example.net': gateway,
  };
  return Object.fromEntries(
    Object.entries(variablesOf(testedBlock('docs/login.md', mark))).map(([name, value]) => [
      name,
      origins[value as keyof typeof origins] ?? value,
    ]),
  );
}

inChromium('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Whether a page that is loaded anew goes on with the session of its login */
  async function survivesReload(names: Origins, mark: string, profile: BrowserContext): Promise<boolean> {
    const site = await arrange(profile, names, (origins) => variables(mark, origins));
    try {
      expect(await site.logIn()).toBe('');
      const sid = await sidOf(site.page);
      expect(sid).toBeDefined();
      await site.page.reload();
      return (await sidOf(site.page)) === sid;
    } finally {
      await site.close();
    }
  }

  test.each<Origins>([
    { page: 'http://localhost', gateway: 'http://localhost' },
    { page: 'https://app.example.com', gateway: 'https://auth.example.com' },
  ])('two origins of one site, with what the page prints: %j', async (names) => {
    expect(await survivesReload(names, 'one-site', await browser.newContext())).toBe(true);
  });

  test('Interface 21: a page on another origin reads what is stored about its user, and deletes them', async () => {
    const profile = await browser.newContext();
    const names = { page: 'https://app.example.com', gateway: 'https://auth.example.com' };
    const site = await arrange(profile, names, (origins) => ({ ...variables('one-site', origins), ACCOUNT: 'on' }));
    try {
      await site.logIn();
      const { page } = site;
      expect(await page.evaluate('auth.me()')).toMatchObject({ role: 'viewer' });
      expect(await page.evaluate('account.sessions(auth)')).toMatchObject([{ isCurrent: true }]);
      const data = await page.evaluate<string>('account.exportData(auth).then((blob) => blob.text())');
      expect(JSON.parse(data)).toMatchObject({ sessions: [expect.anything()] });
      expect(await page.evaluate('account.deleteAccount(auth)')).toBeUndefined();
      expect(await page.evaluate('auth.state()')).toEqual({ status: 'signed-out' });
      expect((await profile.cookies()).filter(({ name }) => name === 'refresh_token')).toEqual([]);
    } finally {
      await site.close();
    }
  });

  test('two sites, with the configuration of the page: only if the browser stores cookies of other sites', async () => {
    const names = { page: 'https://app.example.com', gateway: 'https://auth.example.net' };
    const { profile, close } = await launchWithThirdPartyCookies();
    try {
      expect(await survivesReload(names, 'two-sites', profile)).toBe(true);
    } finally {
      await close();
    }
    expect(await survivesReload(names, 'two-sites', await browser.newContext())).toBe(false);
  });
});
