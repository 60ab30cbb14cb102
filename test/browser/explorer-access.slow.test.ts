/** The explorer for screen readers, phones, and in the dark. (Interface 2, development) */
import { PASSWORD } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { LOOKS, violationsOf } from './axe.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

inChromium('in Chromium, the explorer', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell });
  });
  afterAll(() => site?.close());

  test.each(LOOKS)(
    'Interface 2: %s, %i pixels wide: axe finds nothing, and each box has a name',
    async (scheme, width) => {
      const profile = await site.browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
      const page = await profile.newPage();
      const expectGood = async (): Promise<void> => {
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      };
      await page.goto(`${site.edge.url}/graphql`);
      const { email, id } = await site.gateway.user();
      await page.getByRole('textbox', { name: 'Query', exact: true }).waitFor();
      await expectGood();
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText(`Logged in as ${email} (viewer)`).waitFor();
      await page.getByRole('button', { name: /execute query/i }).click();
      const result = page.getByRole('region', { name: 'Result' });
      await until('it is answered', async () => (await result.innerText()).includes(id));
      await page.getByLabel('Ask as').selectOption('an API key');
      for (const name of ['Query', 'Variables', 'Key ID', 'Secret']) {
        await page.getByRole('textbox', { name, exact: true }).waitFor();
      }
      await page.getByLabel('Search types and fields').fill('user');
      await expectGood();
      for (const box of [page.getByRole('textbox', { name: 'Query', exact: true }), result]) {
        expect((await box.boundingBox())?.width).toBeGreaterThan(300); // one below the other on a phone
      }
      await profile.close();
    },
  );
});
