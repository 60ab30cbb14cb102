/** At every width and in both schemes the page fits, also with twenty sessions and hostile User-Agents. (Interface 21) */
import type { Page } from 'playwright-core';
import { GOOD, lookAt, openAlone } from '../console/console.js';
import { faultsIn, TARGET, TARGET_OF_FINGERS } from '../fits.js';
import { inChromium, type Site } from '../site.js';
import { logInElsewhere, openAccount, startAccount, whole } from './account.js';

const WIDTHS = [320, 360, 414, 768, 1024, 1280];
const AGENTS = [
  `<img src=x onerror=alert(1)>${'x'.repeat(480)}`,
  'word '.repeat(100),
  '\u202e'.repeat(200),
  'm'.repeat(512),
];
const LONG_EMAIL = `${'m'.repeat(64)}@${`${'w'.repeat(58)}.`.repeat(3)}example.com`;

inChromium('in Chromium, the account page', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startAccount();
  });
  afterAll(() => site?.close());

  async function expectFits(page: Page, what: string, least: number): Promise<void> {
    const found: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await faultsIn(page, least)).slice(0, 6).map((fault) => `${what}, ${width}: ${fault}`));
    }
    expect(found).toEqual([]);
    expect(await lookAt(page)).toEqual(GOOD);
  }

  test.each(['light', 'dark'] as const)('Interface 21: %s, before the login, and with one session', async (scheme) => {
    const out = await openAlone(site, '/account', { scheme });
    await out.page.getByLabel('Password').waitFor();
    await expectFits(out.page, 'login', TARGET);
    await out.close();
    const { page, wrong, close } = await openAccount(site, '/account', { scheme });
    await expectFits(page, 'one session', TARGET);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: a short e-mail is whole at the width of a phone', async () => {
    const email = 'ada.lovelace@example.com';
    const { page, close } = await openAccount(site, '/account', { width: 360, email });
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('banner').getByText(email).waitFor();
    const room = `(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth)(document.querySelector('header bdi'))`;
    expect(await page.evaluate(room)).toBe(0);
    await close();
  });

  test('Interface 21: with twenty sessions, hostile User-Agents, an e-mail of 254 characters, and fingers', async () => {
    const { email, id } = await site.gateway.user({ email: LONG_EMAIL });
    const opened = await openAlone(site, '/account', { scheme: 'dark', email });
    await whole(opened.page);
    await logInElsewhere(site, email, ...Array.from({ length: 19 }, (_, i) => `agent ${i}`));
    for (const [i, agent] of AGENTS.entries()) {
      for (const table of ['refresh_tokens', 'known_devices']) {
        await site.gateway.rows(`update ${table} set user_agent = $1 where user_id = $2 and user_agent = $3`, [
          ...[agent, id, `agent ${i}`],
        ]);
      }
    }
    await opened.page.reload();
    await whole(opened.page);
    for (let i = 0; i < 2; i += 1) {
      await opened.page
        .getByRole('button', { name: /^Show all \d+$/ })
        .first()
        .click();
    }
    await expectFits(opened.page, 'twenty sessions', TARGET);
    await opened.page.getByRole('button', { name: 'Delete my account' }).click();
    await expectFits(opened.page, 'the dialog', TARGET);
    expect(opened.wrong).toEqual([]);

    const phone = await site.browser.newContext({
      ...{ storageState: await opened.page.context().storageState(), viewport: { width: 360, height: 740 } },
      ...{ hasTouch: true, isMobile: true },
    });
    await opened.close();
    const page = await phone.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${site.edge.url}/account#sessions`);
    await whole(page);
    expect(await faultsIn(page, TARGET_OF_FINGERS)).toEqual([]);
    await phone.close();
  });
});
