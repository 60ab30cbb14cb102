/** News of the audit log in the console: by one stream for all tabs, by polling if there is none. (Interface 19 and 24) */
import type { BrowserContext, Page } from 'playwright-core';
import { login, WRONG } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, logIn, openConsole, startConsole } from './console.js';

/** Longer than each view waits if it polls, shorter than a silence that ends a stream: milliseconds */
const LONGER_THAN_A_POLL_MS = 40_000;
const POLL_MS = 15_000;
const MINUTE_MS = 61_000;

inChromium('in Chromium, the live audit log of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  const fail = (email: string) => login(site.gateway, email, WRONG);
  const news = (page: Page, text: string) => page.getByRole('button', { name: text, exact: true }).waitFor();
  const streamsAre = (count: number) => until(`${count} streams are open`, () => site.edge.streams.size === count);

  /** The operations that pages ask for, and where their streams resume */
  function listen(profile: BrowserContext) {
    const asked: string[] = [];
    const resumed: Array<string | undefined> = [];
    profile.on('request', (request) => {
      const [, name] = /(?:query|subscription) (\w+)/.exec(request.postData() ?? '') ?? [];
      if (name !== undefined) asked.push(name);
      if (name === 'LiveEvents') resumed.push(request.headers()['last-event-id']);
    });
    return { resumed, countOf: (operation: string) => asked.filter((name) => name === operation).length };
  }

  /** The log of an e-mail that nobody has, with a clock that jumps; its stream is open. */
  async function open(email: string) {
    const opened = await openConsole(site, 'analyst', `/console/audit?email=${email}`);
    const { page } = opened;
    await expectHeading(page, 'Audit log');
    await page.clock.install();
    const { resumed, countOf } = listen(page.context());
    const reload = async (): Promise<void> => {
      await page.reload();
      await page.getByText('No event matches these filters.').waitFor();
    };
    return { ...opened, resumed, countOf, reload };
  }

  async function openLive(email: string) {
    const opened = await open(email);
    await opened.reload();
    await until('the stream begins', () => opened.countOf('AuditNewest') > 0);
    return opened;
  }

  test('Interface 24: an event is news without a poll, and an idle log asks for nothing', async () => {
    const email = 'live-log@example.com';
    const { page, wrong, close, countOf } = await openLive(email);
    await fail(email);
    await news(page, '1 new event');
    const before = countOf('AuditNewest');
    await page.clock.fastForward(LONGER_THAN_A_POLL_MS);
    await fail(email);
    await news(page, '2 new events');
    expect(countOf('AuditNewest')).toBe(before + 1);
    expect(countOf('LiveEvents')).toBe(1);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 24: many events cost a reading every few seconds, and the last of them is not missed', async () => {
    const email = 'live-many@example.com';
    const { page, close, countOf } = await openLive(email);
    await fail(email);
    await news(page, '1 new event');
    const now = () => page.evaluate<number>('Date.now()');
    const [startedAt, before] = [await now(), countOf('AuditNewest')];
    for (let i = 0; i < 5; i += 1) await fail(email);
    await until('all are news', async () => {
      await page.clock.fastForward(1_000);
      return page.getByRole('button', { name: '6 new events' }).isVisible();
    });
    const elapsedMs = (await now()) - startedAt;
    expect(countOf('AuditNewest') - before).toBeLessThanOrEqual(1 + elapsedMs / 5_000);
    await close();
  });

  test('Interface 24: the overview reads its numbers when something has happened', async () => {
    const { page, wrong, close } = await openConsole(site, 'analyst', '/console/');
    await expectHeading(page, 'Overview');
    await page.clock.install();
    const { countOf } = listen(page.context());
    await page.reload();
    await until('the stream has begun', () => countOf('AuditCounts') > 1);
    const number = page.getByRole('link', { name: 'failed logins: show the events' });
    const counted = Number(await number.innerText());
    const [counts, thefts] = [countOf('AuditCounts'), countOf('Events')];
    await page.clock.fastForward(LONGER_THAN_A_POLL_MS);
    await fail('live-overview@example.com');
    await until('the number has changed', async () => Number(await number.innerText()) === counted + 1);
    await page.getByRole('button', { name: /^Show 1 new failure/ }).waitFor();
    expect(countOf('AuditCounts')).toBe(counts + 1);
    expect(countOf('Events')).toBe(thefts + 1); // failures, not thefts
    expect(wrong).toEqual([]);
    await close();
  });

  test.each<[string, () => Promise<void>]>([
    [
      'is cut',
      async () => {
        for (const stream of site.edge.streams) stream.destroy();
      },
    ],
    [
      'is ended by a gateway that stops',
      async () => {
        site.gateway.app.state.isStopping = true;
        await streamsAre(0);
        site.gateway.app.state.isStopping = false;
      },
    ],
  ])('Interface 24: a stream that %s is resumed where it was', async (how, end) => {
    const email = `live-${how.length}@example.com`;
    const { page, resumed, close, countOf } = await openLive(email);
    await fail(email);
    await news(page, '1 new event');
    const before = countOf('AuditNewest');
    await end();
    await streamsAre(0);
    await fail(email);
    await until('it is resumed', async () => {
      await page.clock.fastForward(500);
      return resumed.length === 2;
    });
    expect(resumed).toEqual([undefined, expect.stringMatching(/./)]);
    await page.clock.fastForward(5_000);
    await news(page, '2 new events');
    expect(countOf('AuditNewest')).toBe(before + 1);
    await close();
  });

  test('Interface 24: a logout ends the stream, and a login begins another', async () => {
    const email = 'live-logout@example.com';
    const { page, email: own, resumed, wrong, close } = await openLive(email);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await streamsAre(0);
    await logIn(page, own);
    await page.getByText('No event matches these filters.').waitFor();
    await until('another begins', () => resumed.length === 2);
    await streamsAre(1);
    await fail(email);
    await news(page, '1 new event');
    expect(resumed).toEqual([undefined, undefined]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 24: the tabs of a browser share one stream, which another takes over', async () => {
    const email = 'live-tabs@example.com';
    const { page, resumed, close } = await openLive(email);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await second.getByText('No event matches these filters.').waitFor();
    await fail(email);
    await news(page, '1 new event');
    await news(second, '1 new event');
    expect([resumed.length, site.edge.streams.size]).toEqual([1, 1]);
    await page.close();
    await until('the other tab has it', () => resumed.length === 2);
    await fail(email);
    await news(second, '2 new events');
    expect(resumed[1]).toEqual(expect.stringMatching(/./));
    expect(site.edge.streams.size).toBe(1);
    await close();
  });

  test.each([403, 404, 406, 429, 0])(
    'Interface 24: if the stream is refused (%i), the log polls, and tries again later',
    async (status) => {
      const email = `live-refused${status}@example.com`;
      const { page, close, countOf, reload } = await open(email);
      await page.route('**/graphql', (route) => {
        if (route.request().headers()['accept'] !== 'text/event-stream') return route.continue();
        return status === 0 ? route.abort() : route.fulfill({ status, json: { errors: [{ message: 'No' }] } });
      });
      await reload();
      const tries = status === 0 ? 2 : 1;
      await until('it is refused', async () => {
        await page.clock.fastForward(500);
        return countOf('LiveEvents') === tries;
      });
      await fail(email);
      await page.clock.fastForward(POLL_MS);
      await news(page, '1 new event');
      await fail(email);
      await page.clock.fastForward(POLL_MS);
      await news(page, '2 new events');
      expect(countOf('LiveEvents')).toBe(tries);
      await page.unroute('**/graphql');
      await page.clock.fastForward(MINUTE_MS);
      await streamsAre(1);
      await close();
    },
  );

  test('Interface 24: no stream is open while the page is hidden for longer than a minute', async () => {
    const email = 'live-hidden@example.com';
    const { page, resumed, close, countOf } = await openLive(email);
    const setHidden = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await setHidden(true);
    await page.clock.fastForward(LONGER_THAN_A_POLL_MS);
    await setHidden(false);
    await fail(email);
    await news(page, '1 new event');
    await setHidden(true);
    await page.clock.fastForward(LONGER_THAN_A_POLL_MS);
    expect([resumed.length, site.edge.streams.size]).toEqual([1, 1]);
    await page.clock.fastForward(MINUTE_MS);
    await streamsAre(0);
    const before = countOf('AuditNewest');
    await fail(email);
    await page.clock.fastForward(10 * MINUTE_MS);
    expect([resumed.length, countOf('AuditNewest')]).toEqual([1, before]);
    await setHidden(false);
    await news(page, '2 new events');
    expect(resumed).toEqual([undefined, undefined]);
    await close();
  });
});
