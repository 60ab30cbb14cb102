/** The page at `/` and what it links to, as a browser shows them. (Interface 2, development) */
import { startGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { LOOKS, violationsOf } from './axe.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

inChromium('in Chromium, the page at /', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell });
  });
  afterAll(() => site?.close());

  test.each(LOOKS)(
    'Interface 2: %s, %i pixels wide: axe finds nothing, nothing scrolls aside',
    async (scheme, width) => {
      const profile = await site.browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
      const page = await profile.newPage();
      await page.goto(site.gateway.url);
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const areWrapped = 'Array.from(document.querySelectorAll("pre"), (pre) => pre.scrollWidth <= pre.clientWidth)';
      expect(await page.evaluate(areWrapped)).toEqual([true, true, true]);
      const production = await startGateway({ env: { NODE_ENV: 'production' } });
      await page.goto(production.url);
      await page.getByText('This service logs people in').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await production.close();
      await profile.close();
    },
  );

  test('Interface 2: a keyboard reaches every link and command, in their order', async () => {
    const page = await site.browser.newPage();
    await page.goto(site.gateway.url);
    const name = '(element) => element.ariaLabel ?? element.innerText';
    const all = await page.evaluate<string[]>(`Array.from(document.querySelectorAll('a, pre'), ${name})`);
    const reached: string[] = [];
    while (reached.length < all.length) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate<string>(`(${name})(document.activeElement)`));
    }
    expect(reached).toEqual(all);
    expect(reached).toEqual(expect.arrayContaining(['/graphql', 'Log in', 'Refresh and log out', 'docs/login.md']));
    await page.close();
  });

  test('Interface 2: each link shows something to read, and downloads nothing', async () => {
    const page = await site.browser.newPage();
    await page.goto(site.gateway.url);
    const links = await page.evaluate<string[]>(`Array.from(document.links, ({ href }) => href)`);
    expect(links.length).toBeGreaterThan(8);
    for (const link of links) {
      const answer = await page.goto(link); // throws if it is a download
      // Not `waitForFunction`, which policies forbid
      await until(`${link} shows it`, () => page.evaluate<boolean>('document.body.innerText.trim().length > 20'));
      expect([link, answer?.status()]).toEqual([link, 200]);
    }
    await page.close();
  });
});
