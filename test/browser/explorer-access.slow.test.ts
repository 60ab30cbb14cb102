/** Interface 2, development: the explorer for screen readers, phones, and in the dark. */
import { PASSWORD } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { violationsOf } from './axe.js';
import { inChromium, type Site, startSite } from './site.js';

const GRAPHIQL = '.graphiql-container';
/** What GraphiQL itself breaks: a tab has a button inside, and an editor scrolls by its text box. */
const OF_GRAPHIQL = ['nested-interactive', 'scrollable-region-focusable'];

inChromium('in Chromium, the explorer', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.close());

  test.each([
    ['light', 1280],
    ['light', 360],
    ['dark', 1280],
    ['dark', 360],
  ] as const)(
    'Interface 2: %s, %i pixels wide: axe finds nothing of ours, and each box has a name',
    async (scheme, width) => {
      const profile = await site.browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } });
      const page = await profile.newPage();
      const expectGood = async (): Promise<void> => {
        expect(await violationsOf(page, GRAPHIQL)).toEqual([]);
        const rules = (await violationsOf(page)).map((violation) => violation.split(':')[0] ?? '');
        expect(rules.filter((rule) => !OF_GRAPHIQL.includes(rule))).toEqual([]);
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
      const result = page.getByRole('region', { name: 'Result Window' });
      await until('it is answered', async () => (await result.innerText()).includes(id));
      for (const pane of ['Variables', 'Headers']) {
        await page.getByRole('button', { name: pane }).click();
        for (const name of ['Query', pane, 'Result', 'or ask with an access token']) {
          await page.getByRole('textbox', { name, exact: true }).waitFor();
        }
        await expectGood();
      }
      for (const region of [page.getByRole('region', { name: 'Query Editor' }), result]) {
        expect((await region.boundingBox())?.width).toBeGreaterThan(300); // one below the other on a phone
      }
      await profile.close();
    },
  );
});
