/**
 * The client against the gateway, with other tabs, without what some browsers lack, and in the course of time.
 * (Interface 13)
 */
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let browser: Browser;
let email: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  browser = startBrowser(gateway.config.publicUrl);
  ({ email } = await gateway.user());
});
afterEach(async () => {
  browser.close();
  expect(await gateway.rows("select 1 from audit_events where event_type = 'token_theft'")).toEqual([]);
});

const open = (setup: Partial<PageSetup> = {}): Page => openPage(browser, { url: gateway.url, ...setup });
const subOf = (page: Page): string | undefined => page.client.state().user?.sub;
const status = (page: Page): string => page.client.state().status;
const logIn = (page: Page, as = email) => page.client.login({ email: as, password: PASSWORD });

test('Interface 13: logs in, is still logged in when the page is loaded again, and logs out', async () => {
  const first = open();
  expect(first.client.state()).toEqual({ status: 'signed-out' });
  const user = await logIn(first);
  expect(user).toEqual({ sub: expect.any(String), role: 'viewer', scopes: [] });
  expect(first.client.state()).toEqual({ status: 'signed-in', user });

  const again = open();
  expect(again.client.state()).toEqual({ status: 'loading' });
  expect(await again.client.getAccessToken()).toEqual(expect.any(String));
  expect(again.client.state()).toEqual({ status: 'signed-in', user });

  await again.client.logout();
  expect(again.client.state()).toEqual({ status: 'signed-out' });
  expect(browser.jar.refreshToken).toBeUndefined();
  expect([...browser.storage.items]).toEqual([]);
  expect(await first.client.getAccessToken()).toBeUndefined();
  expect(await open().client.getAccessToken()).toBeUndefined();
  expect(first.events.at(-1)).toEqual({ event: 'signed-out', happened: { reason: 'logout' } });
});

test('Interface 13: a login that is refused says why, and changes nothing', async () => {
  const page = open();
  await expect(page.client.login({ email, password: 'wrong' })).rejects.toMatchObject({
    ...{ name: 'AuthError', status: 401, detail: 'Invalid credentials', retryAfterSeconds: undefined },
  });
  await expect(page.client.login({ email: 'nonsense', password: 'x' })).rejects.toMatchObject({ status: 422 });
  expect(page.client.state()).toEqual({ status: 'signed-out' });
  expect(page.events).toEqual([]);
});

test('Interface 13: a visitor who has never logged in causes no request', async () => {
  const page = open();
  page.client.subscribe(() => undefined);
  expect(await page.client.getAccessToken()).toBeUndefined();
  const answer = await page.client.fetch(`${gateway.url}/health/live`);
  expect(answer.status).toBe(200);
  expect(page.asked).toEqual([{ path: '/health/live', retry: null, authorization: null }]);
});

test('Interface 13: effects that run twice make one flight', async () => {
  await logIn(open());
  const page = open();
  const tokens = await Promise.all(Array.from({ length: 10 }, () => page.client.getAccessToken()));
  expect(new Set(tokens).size).toBe(1);
  expect(page.refreshes()).toBe(1);
});

test('Interface 13: ten tabs that are restored at once all have their session', async () => {
  await logIn(open());
  const tabs = Array.from({ length: 10 }, () => open());
  const tokens = await Promise.all(tabs.map((tab) => tab.client.getAccessToken()));
  expect(tokens).not.toContain(undefined);
  expect(tabs.map(status)).toEqual(Array(10).fill('signed-in'));
});

test.each<{ without: NonNullable<PageSetup['without']> }>([
  { without: ['locks'] },
  { without: ['openChannel'] },
  { without: ['storage'] },
  { without: ['locks', 'openChannel', 'storage'] },
])('Interface 13: works without $without', async ({ without }) => {
  const page = open({ without });
  await logIn(page);
  page.time.skip(880_000);
  expect(await page.client.getAccessToken()).toEqual(expect.any(String));
  await until('it has refreshed', () => page.events.at(-1)?.event === 'refreshed');

  const again = open({ without });
  expect(await again.client.getAccessToken()).toEqual(expect.any(String));
  await again.client.logout();
  expect(again.client.state()).toEqual({ status: 'signed-out' });
});

test('Interface 13: works if they throw', async () => {
  const fail = (): never => {
    throw new DOMException('not here', 'SecurityError');
  };
  const storage = { getItem: fail, setItem: fail, removeItem: fail };
  const page = open({ environment: { locks: { request: fail }, openChannel: fail, storage } });
  await logIn(page);
  page.time.skip(1_000_000);
  expect(await page.client.getAccessToken()).toEqual(expect.any(String));
  expect(page.refreshes()).toBe(1);
});

test('Interface 13: where nothing can be kept, the first question asks the gateway, which knows', async () => {
  const visitor = open({ without: ['storage'] });
  expect(visitor.client.state()).toEqual({ status: 'loading' });
  expect(await visitor.client.getAccessToken()).toBeUndefined();
  expect([status(visitor), visitor.refreshes(), visitor.events]).toEqual(['signed-out', 1, []]);
});

test('Interface 13: a full storage is no storage', async () => {
  let room = 3;
  const { storage } = browser;
  const full = {
    ...storage,
    setItem: (key: string, value: string) => {
      room -= 1;
      if (room < 0) throw new DOMException('full', 'QuotaExceededError');
      storage.setItem(key, value);
    },
  };
  const page = open({ environment: { storage: full } });
  await logIn(page);
  for (let i = 0; i < 3; i += 1) {
    page.time.skip(1_000_000);
    expect(await page.client.getAccessToken()).toEqual(expect.any(String));
  }
});

test('Interface 13: a fresh token is used, one that soon expires is used and renewed, an expired one is renewed first', async () => {
  const page = open();
  await logIn(page);
  const first = await page.client.getAccessToken();
  page.time.skip(839_000);
  expect([await page.client.getAccessToken(), page.refreshes()]).toEqual([first, 0]);
  page.time.skip(2_000);
  expect(await page.client.getAccessToken()).toBe(first);
  await until('it is renewed', () => page.events.at(-1)?.event === 'refreshed');
  const second = await page.client.getAccessToken();
  expect(second).not.toBe(first);
  page.time.skip(900_000);
  expect([second, undefined]).not.toContain(await page.client.getAccessToken());
  expect(page.refreshes()).toBe(2);
});

test('Interface 13: the state stays the same object while nothing in it changes', async () => {
  const page = open();
  let changes = 0;
  const end = page.client.subscribe(() => {
    changes += 1;
  });
  await logIn(page);
  const state = page.client.state();
  page.time.skip(1_000_000);
  await page.client.getAccessToken();
  expect(page.client.state()).toBe(state);
  expect(changes).toBe(1);
  end();
  await page.client.logout();
  expect(changes).toBe(1);
});

test('Interface 13: a token is shared: another tab does not refresh for itself', async () => {
  const [one, two] = [open(), open()];
  await logIn(one);
  await until('the other tab has heard of it', () => status(two) === 'signed-in');
  expect(await two.client.getAccessToken()).toBe(await one.client.getAccessToken());
  for (const tab of [one, two]) tab.time.skip(1_000_000);
  await one.client.getAccessToken();
  await until('the other tab has the new one', () => two.events.at(-1)?.event === 'refreshed');
  expect(await two.client.getAccessToken()).toBe(await one.client.getAccessToken());
  expect(two.refreshes()).toBe(0);
});

test('Interface 13: the message of a login that arrives sooner than its entry in storage counts', async () => {
  let isLate = true;
  const storage = { ...browser.storage, getItem: (key: string) => (isLate ? null : browser.storage.getItem(key)) };
  const [one, two] = [open(), open({ environment: { storage } })];
  await logIn(one);
  await until('the other tab has heard of it', () => status(two) === 'signed-in');
  expect(await two.client.getAccessToken()).toBe(await one.client.getAccessToken());
  isLate = false;
  expect(await two.client.getAccessToken()).toBe(await one.client.getAccessToken());
  isLate = true; // from here on that is news
  expect(await two.client.getAccessToken()).toBeUndefined();
  expect(two.refreshes()).toBe(0);
});

describe.each<{ without: NonNullable<PageSetup['without']> }>([{ without: [] }, { without: ['openChannel'] }])(
  'Interface 13: tabs without $without',
  ({ without }) => {
    test('a logout is one in all tabs', async () => {
      const [one, two] = [open({ without }), open({ without })];
      await logIn(one);
      expect(await two.client.getAccessToken()).toEqual(expect.any(String));
      await one.client.logout();
      expect(await two.client.getAccessToken()).toBeUndefined();
      expect(two.client.state()).toEqual({ status: 'signed-out' });
    });

    test('after a login as somebody else no tab uses the token of the former user', async () => {
      const other = await gateway.user();
      const [one, two] = [open({ without }), open({ without })];
      await logIn(one);
      await two.client.getAccessToken();
      const former = subOf(two);
      await logIn(one, other.email);
      await two.client.getAccessToken();
      expect([former, subOf(two)]).toEqual([expect.any(String), other.id]);
      expect(subOf(one)).toBe(other.id);
    });
  },
);

test('Interface 13: a message of a session that was left brings nothing back', async () => {
  const [one, two] = [open(), open()];
  await logIn(one);
  const [name = ''] = browser.storage.items.keys();
  const channel = browser.tab().openChannel?.(name);
  if (channel === undefined) throw new Error('no channel');
  let said: unknown;
  channel.onmessage = ({ data }: { data: unknown }) => {
    said ??= data;
  };
  one.time.skip(1_000_000);
  await one.client.getAccessToken();
  await until('it is reported', () => said !== undefined);
  await one.client.logout();
  await until('both are signed out', () => status(two) === 'signed-out');
  const [before, other] = [two.events.length, await gateway.user()];
  channel.postMessage(said);
  await logIn(one, other.email);
  await until('the login has been heard of', () => subOf(two) === other.id);
  expect(two.events.slice(before).map(({ event }) => event)).toEqual(['signed-in']);
});

test('Interface 13: a storage that shows the session for a moment more does not begin it again', async () => {
  const one = open();
  await logIn(one);
  const shown = new Map(browser.storage.items);
  let isBehind = false;
  const { storage } = browser;
  const behind = { ...storage, getItem: (key: string) => (isBehind ? (shown.get(key) ?? null) : storage.getItem(key)) };
  const two = open({ environment: { storage: behind } });
  await two.client.getAccessToken();
  const asked = two.refreshes();
  isBehind = true;
  await one.client.logout();
  await until('it has heard of it', () => status(two) === 'signed-out');
  expect(await two.client.getAccessToken()).toBeUndefined();
  expect(two.refreshes()).toBe(asked);
});
