/** One session in many tabs. (Interface 13) */
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { statusOfCall, tokenOf } from './asked.js';
import { inChromium, type Site, sidOf, startSite, stateOf, unharmed } from './site.js';

inChromium('in Chromium', () => {
  describe.each(['true', 'false'])('with REFRESH_RETRY=%s', (retry) => {
    let site: Site;
    beforeAll(async () => {
      site = await startSite({ env: { REFRESH_RETRY: retry } });
    });
    afterAll(() => site?.close());

    test.each([2, 5, 10])(
      'Interface 13: %i tabs that are restored at once all go on with the session',
      async (count) => {
        const visitor = await site.visitor();
        const tabs = await Promise.all(Array.from({ length: count }, () => visitor.profile.newPage()));
        await visitor.page.close();
        await Promise.all(tabs.map((tab) => tab.goto(site.edge.url)));
        expect(await Promise.all(tabs.map(sidOf))).toEqual(tabs.map(() => visitor.sid));
        expect(await stateOf(site, visitor, tabs[0] as Page)).toEqual(unharmed(visitor));
        await visitor.profile.close();
      },
    );

    test('Interface 13: tabs whose token is refused at once all go on with the session', async () => {
      const visitor = await site.visitor();
      const tabs = [visitor.page, await visitor.profile.newPage(), await visitor.profile.newPage()];
      for (const tab of tabs.slice(1)) await tab.goto(site.edge.url);
      await Promise.all(tabs.map(sidOf));
      await until('no refresh is under way, and all have its token', () => isQuiet(tabs)); // it would be of before
      site.gateway.clock.advance(1_000); // longer than a token lives
      expect(await Promise.all(tabs.map(statusOfCall))).toEqual([200, 200, 200]);
      expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
      await visitor.profile.close();
    });

    test('Interface 13: a logout in one tab is one in each', async () => {
      const visitor = await site.visitor();
      const other = await visitor.profile.newPage();
      await other.goto(site.edge.url);
      expect(await sidOf(other)).toBe(visitor.sid);
      await other.evaluate('auth.logout()');
      await visitor.page.waitForFunction("auth.state().status === 'signed-out'");
      expect(await stateOf(site, visitor, visitor.page)).toEqual({ sid: undefined, live: 0, thefts: 0 });
      await visitor.profile.close();
    });
  });

  test('Interface 13: a visitor who never logged in causes no request', async () => {
    const site = await startSite();
    try {
      const profile = await site.profile();
      const page = await profile.newPage();
      await page.goto(site.edge.url);
      expect(await sidOf(page)).toBeUndefined();
      await until('that is known', () => page.evaluate("auth.state().status === 'signed-out'"));
      expect(site.edge.refreshes).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

/** No tab asks or waits to ask, and the last answer has come to all. */
async function isQuiet(tabs: Page[]): Promise<boolean> {
  const asking = await tabs[0]?.evaluate(
    `navigator.locks.query().then(({ held, pending }) => held.length + pending.length)`,
  );
  return asking === 0 && new Set(await Promise.all(tabs.map(tokenOf))).size === 1;
}
