/** What a sibling host can do with a cookie for the parent domain, and how it is undone. (Interface 5) */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { runningClock } from '../support/gateway/clock.js';
import { logIn, PASSWORD, startGateway, startInstance, type TestGateway } from '../support/gateway/gateway.js';
import { statusOfCall } from './asked.js';
import { servePage } from './bundle.js';
import { makeCertificate } from './certificate.js';
import { launchChromium } from './chromium.js';
import { type Edge, startEdge } from './edge.js';
import { inChromium, sidOf } from './site.js';

inChromium('in Chromium', () => {
  let browser: Browser;
  let edge: Edge;
  let gateway: TestGateway;
  let own: string;
  beforeAll(async () => {
    browser = await launchChromium();
    edge = await startEdge(makeCertificate());
    own = `https://auth.example.com:${edge.port}`;
    gateway = await startGateway({ clock: runningClock(), env: { PUBLIC_URL: own } });
    await servePage(edge, '/', 'client.js');
  });
  beforeEach(() => edge.leadTo(gateway.url));
  afterAll(async () => {
    await browser?.close();
    await edge?.close();
    await gateway?.close();
  });

  async function pageAt(profile: BrowserContext, url: string): Promise<Page> {
    const page = await profile.newPage();
    await page.goto(url);
    return page;
  }

  async function logInBy(page: Page, email: string): Promise<void> {
    await page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
  }

  const refreshCookies = async (profile: BrowserContext) =>
    (await profile.cookies()).filter(({ name }) => name === 'refresh_token').map(({ domain }) => domain);

  /** Loads the page again, and asks for a token. */
  async function sidAfterReload(page: Page): Promise<unknown> {
    await page.reload();
    return sidOf(page);
  }

  test('Interface 5: a sibling host that puts its cookie first logs nobody in as somebody else', async () => {
    const profile = await browser.newContext();
    const attacker = await logIn(gateway, (await gateway.user()).email);
    const sibling = await pageAt(profile, `https://evil.example.com:${edge.port}/`);
    const plant = `document.cookie = 'refresh_token=${attacker.refreshToken}; domain=example.com; path=/auth; secure'`;
    await sibling.evaluate(plant);

    const { email } = await gateway.user();
    const victim = await pageAt(profile, own);
    await logInBy(victim, email);
    expect(await refreshCookies(profile)).toEqual(['.example.com', 'auth.example.com']);

    expect(await sidAfterReload(victim)).toBeUndefined(); // logged out, and nobody else
    expect(await refreshCookies(profile)).toEqual([]);

    await logInBy(victim, email);
    const sid = await sidOf(victim);
    expect(await sidAfterReload(victim)).toBe(sid);

    // A logout ends the victim's session, whichever cookie comes first.
    await sibling.evaluate(plant);
    await victim.evaluate('auth.logout()');
    const live = 'select family_id from refresh_tokens where family_id = $1 and not revoked';
    expect(await gateway.rows(live, [sid])).toEqual([]);
    expect(await refreshCookies(profile)).toEqual([]);
    await profile.close();
  });

  test.each([
    ['set', {}, { COOKIE_DOMAIN: 'example.com' }],
    ['unset', { COOKIE_DOMAIN: 'example.com' }, {}],
  ])(
    'Interface 5: COOKIE_DOMAIN is %s while people are logged in: each logs in once more, and stays',
    async (_what, before, after) => {
      const profile = await browser.newContext();
      const env = { PUBLIC_URL: own };
      const former = await startInstance(gateway.database, { clock: runningClock(), env: { ...env, ...before } });
      const later = await startInstance(gateway.database, { clock: runningClock(), env: { ...env, ...after } });
      edge.leadTo(former.url);
      const { email } = await gateway.user();
      const page = await pageAt(profile, own);
      await logInBy(page, email);
      const sid = await sidOf(page);

      edge.leadTo(later.url);
      expect(await sidAfterReload(page)).toBe(sid); // the former cookie is rotated into one of the other domain
      expect(await sidAfterReload(page)).toBeUndefined();

      await logInBy(page, email);
      const next = await sidOf(page);
      for (let reload = 0; reload < 3; reload += 1) expect(await sidAfterReload(page)).toBe(next);
      expect(await statusOfCall(page)).toBe(200);
      expect(await refreshCookies(profile)).toHaveLength(1);
      await profile.close();
      await former.close();
      await later.close();
    },
  );
});
