/** Refreshes beyond a limit, which are answered 429: pages wait, and lose nothing. (Interface 5 and 13) */
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { tokenOf } from './asked.js';
import { inChromium, type Site, startSite, stateOf, unharmed } from './site.js';

/** Refreshes a minute */
const LIMIT = 20;
/** Beyond the first, each needs a refresh */
const CALLS = 71;

/** Each call is made when the one before has been answered. */
const CALL_AGAIN_AND_AGAIN = `(async () => {
  const statuses = [];
  while (statuses.length < ${CALLS}) statuses.push((await auth.fetch('/api')).status);
  return statuses;
})()`;

/** An API of the page's own origin, which takes each token once. */
async function serveApi(page: Page): Promise<void> {
  const taken = new Set<string>();
  await page.route('**/api', async (route) => {
    const token = (await route.request().allHeaders())['authorization'] ?? '';
    const isNew = token !== '' && !taken.has(token);
    taken.add(token);
    await route.fulfill({ status: isNew ? 200 : 401 });
  });
}

inChromium('in Chromium, with a limit of twenty refreshes a minute', () => {
  let site: Site;
  beforeEach(async () => {
    site = await startSite({ env: { SESSION_RATE_LIMIT: String(LIMIT) } });
  });
  afterEach(() => site?.close());

  const statuses = (): Array<number | undefined> => site.edge.refreshes.map(({ status }) => status);

  /** A second, for the page and for the gateway */
  async function passSecond(page: Page): Promise<void> {
    await page.clock.fastForward(1_000);
    site.gateway.clock.advance(1);
  }

  /** Until it is answered, lets time pass while the last refresh is one that was refused: others take none. */
  async function inTime<T>(page: Page, asked: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    asked.then(over, over);
    await until('all is answered', async () => {
      if (!isOver && statuses().at(-1) === 429) await passSecond(page);
      return isOver;
    });
    return asked;
  }

  test('Interface 13: a page that needs seventy refreshes has each of its calls answered, and keeps its session', async () => {
    const visitor = await site.visitor((profile) => profile.clock.install());
    const { page } = visitor;
    await serveApi(page);
    await page.evaluate(`window.seen = []; auth.on('signed-out', () => seen.push('signed-out'))`);
    expect(await inTime(page, page.evaluate(CALL_AGAIN_AND_AGAIN))).toEqual(Array(CALLS).fill(200));
    expect(statuses().filter((status) => status === 200)).toHaveLength(CALLS - 1);
    expect(statuses().filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
    expect(new Set(statuses())).toEqual(new Set([200, 429]));
    expect(await page.evaluate('seen')).toEqual([]);
    expect(await stateOf(site, visitor, page)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });

  test('Interface 13: of many tabs and reloaded pages one asks, and all wait as long as its answer says', async () => {
    const visitor = await site.visitor((profile) => profile.clock.install());
    const { page } = visitor;
    for (let i = 0; i < LIMIT; i += 1) {
      await page.reload();
      await tokenOf(page);
    }
    await page.reload();
    await until('the page is limited', () => page.evaluate(`JSON.stringify(localStorage).includes('notBefore')`));
    const before = site.edge.refreshes.length;

    await page.reload();
    const others = await Promise.all(Array.from({ length: 4 }, () => visitor.profile.newPage()));
    await Promise.all(others.map((other) => other.goto(site.edge.url)));
    const pages = [page, ...others];
    const tokens = Promise.all(pages.map(tokenOf));
    for (let seconds = 0; seconds < 30; seconds += 1) await passSecond(page);
    expect(site.edge.refreshes.length).toBe(before);
    expect(await inTime(page, tokens)).not.toContain(undefined);
    expect(statuses().slice(before)).not.toContain(429);
    for (const one of pages) expect(await stateOf(site, visitor, one)).toEqual(unharmed(visitor));
    await visitor.profile.close();
  });
});
