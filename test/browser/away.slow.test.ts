/** A network that goes and comes back, a laptop that slept, a clock that is wrong. (Interface 13) */
import type { BrowserContext } from 'playwright-core';
import { statusOfCall } from './asked.js';
import { inChromium, type Site, sidOf, startSite, stateOf, unharmed } from './site.js';

const DAY_MS = 86_400_000;
const HOUR_SECONDS = 3_600;

inChromium('in Chromium', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ env: { REFRESH_RETRY: 'true' } });
  });
  afterAll(() => site?.close());

  test('Interface 13: offline is no logout, and what was asked is answered when the network is back', async () => {
    const visitor = await site.visitor((profile) => profile.clock.install());
    const { page, profile } = visitor;
    await page.evaluate("auth.on('offline', () => { window.wasOffline = true })");
    await profile.setOffline(true);
    site.gateway.clock.advance(HOUR_SECONDS);
    await page.clock.fastForward(HOUR_SECONDS * 1_000);
    await page.evaluate("void (window.asked = auth.getAccessToken().catch(() => 'failed'))");
    await page.waitForFunction('window.wasOffline');
    expect(await page.evaluate('auth.state().status')).not.toBe('signed-out');
    await profile.setOffline(false);
    expect(await stateOf(site, visitor, page)).toEqual(unharmed(visitor));
    await profile.close();
  });

  test.each([true, false])(
    'Interface 13: a laptop that slept over the expiry goes on (its timers too: %s)',
    async (timersToo) => {
      const visitor = await site.visitor((profile) => profile.clock.install());
      site.gateway.clock.advance(HOUR_SECONDS);
      if (timersToo) await visitor.page.clock.fastForward(HOUR_SECONDS * 1_000);
      expect(await statusOfCall(visitor.page)).toBe(200);
      expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
      await visitor.profile.close();
    },
  );

  test.each([-1, 1])('Interface 13: a clock that is wrong by a day (%i) changes nothing', async (days) => {
    const wrong = (profile: BrowserContext) => profile.clock.install({ time: Date.now() + days * DAY_MS });
    const visitor = await site.visitor(wrong);
    const before = site.edge.refreshes.length;
    expect(await statusOfCall(visitor.page)).toBe(200);
    expect(await sidOf(visitor.page)).toBe(visitor.sid);
    expect(site.edge.refreshes.length).toBe(before); // the token of the login serves
    await visitor.page.reload();
    expect(await statusOfCall(visitor.page)).toBe(200);
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });
});
