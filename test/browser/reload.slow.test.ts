/** Pages that are reloaded or closed in the middle of a refresh, and answers that come late. (Interface 12 and 13) */
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import type { Fault, Refresh } from './edge.js';
import { cookieOf, inChromium, type Site, startSite, stateOf, unharmed, type Visitor } from './site.js';

/** Gives up the page in the middle, and comes back. @returns the page that goes on */
const WAYS: Array<[way: string, goBack: (page: Page, url: string) => Promise<Page>]> = [
  [
    'reloaded',
    async (page) => {
      await page.reload();
      return page;
    },
  ],
  [
    'reloaded three times',
    async (page) => {
      for (let i = 0; i < 3; i += 1) await page.reload({ waitUntil: 'domcontentloaded' });
      return page;
    },
  ],
  [
    'closed and opened anew',
    async (page, url) => {
      const next = await page.context().newPage();
      await page.close();
      await next.goto(url);
      return next;
    },
  ],
];

/** The page waits for an answer that may still be on its way: that time passes at once. */
async function hurryToRefresh({ edge }: Site, page: Page, before: number): Promise<Refresh> {
  await until('the page refreshes', async () => {
    if (edge.refreshes.length === before) await page.clock.fastForward(1_000);
    return edge.refreshes.length > before;
  });
  return edge.refreshes[before] as Refresh;
}

/** Loads the page anew, with a fault on the way of its refresh, which has arrived at the edge. */
async function refreshOf(site: Site, { page }: Visitor, fault?: Fault): Promise<Refresh> {
  const before = site.edge.refreshes.length;
  site.edge.disturb((number) => (number === 0 ? fault : undefined));
  await page.goto(site.edge.url);
  return hurryToRefresh(site, page, before);
}

inChromium('in Chromium, with REFRESH_RETRY=true', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ env: { REFRESH_RETRY: 'true' } });
  });
  afterAll(() => site?.close());
  const visitorWithClock = () => site.visitor((profile) => profile.clock.install());

  test.each(WAYS)(
    'Interface 12: a page %s before the gateway has its refresh keeps the session',
    async (_way, goBack) => {
      const visitor = await visitorWithClock();
      const { promise: later, resolve: release } = Promise.withResolvers<void>();
      const refresh = await refreshOf(site, visitor, { reaches: later });
      const page = await goBack(visitor.page, site.edge.url);
      await hurryToRefresh(site, page, site.edge.refreshes.length);
      release();
      await until('the first refresh is over', () => refresh.over);
      expect(await stateOf(site, visitor, page)).toEqual(unharmed(visitor));
      await visitor.profile.close();
    },
  );

  test.each(WAYS)(
    'Interface 12: a page %s before it has the answer, which never comes, keeps the session',
    async (_way, goBack) => {
      const visitor = await visitorWithClock();
      const { promise: never, resolve: release } = Promise.withResolvers<void>();
      const refresh = await refreshOf(site, visitor, { returns: never, cutAt: 0 });
      await until('the gateway has answered', () => refresh.status === 200);
      const page = await goBack(visitor.page, site.edge.url);
      await hurryToRefresh(site, page, site.edge.refreshes.length);
      expect(await stateOf(site, visitor, page)).toEqual(unharmed(visitor));
      release();
      await visitor.profile.close();
    },
  );

  test('Interface 12: a late Set-Cookie that overwrites a newer one costs nothing', async () => {
    const visitor = await visitorWithClock();
    const { promise: late, resolve: release } = Promise.withResolvers<void>();
    const first = await refreshOf(site, visitor, { returns: late });
    await until('the gateway has answered', () => first.status === 200);
    for (const what of ['is given the same successor', 'uses it']) {
      const refresh = await refreshOf(site, visitor);
      await until(`the page ${what}`, () => refresh.over);
      expect(refresh.status).toBe(200);
      expect((await stateOf(site, visitor, visitor.page)).sid).toBe(visitor.sid);
    }
    const newest = await cookieOf(visitor);
    release();
    await until('the old cookie is back', async () => (await cookieOf(visitor)) !== newest);
    await refreshOf(site, visitor);
    expect(await stateOf(site, visitor, visitor.page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });
});

inChromium('in Chromium, with REFRESH_RETRY=false', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.close());

  test.each(WAYS)('Interface 13: a page %s waits for the answer to the refresh before', async (_way, goBack) => {
    const visitor = await site.visitor((profile) => profile.clock.install({ time: 0 }));
    const { promise: later, resolve: release } = Promise.withResolvers<void>();
    const refresh = await refreshOf(site, visitor, { returns: later });
    await until('the gateway has answered', () => refresh.status === 200);
    const before = await cookieOf(visitor);
    await visitor.profile.clock.pauseAt(10_000_000); // the wait of the new page ends when the test says so
    const page = await goBack(visitor.page, site.edge.url);
    await page.clock.runFor(2_000);
    release();
    await until('the cookie of the answer is there', async () => (await cookieOf(visitor)) !== before);
    expect(site.edge.refreshes.at(-1)).toBe(refresh); // it has waited
    await hurryToRefresh(site, page, site.edge.refreshes.length);
    await page.clock.resume();
    expect(await stateOf(site, visitor, page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });
});
