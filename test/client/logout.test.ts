/** A logout that the gateway has not confirmed: pages show it, nobody gets a token, and it is repeated. (Interface 13) */
import { CUT_OFF_MS } from '../../client/src/refresh.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup, type Wire } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';

/** Longer than the first waits between two tries, and than the wait for a page that was closed */
const SOON_MS = 5_000;

let gateway: TestGateway;
let browser: Browser;
let email: string;
let isOnline: boolean;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  browser = startBrowser(gateway.config.publicUrl);
  ({ email } = await gateway.user());
  isOnline = true;
});
afterEach(() => browser.close());

const network: Wire = (_request, next) => (isOnline ? next() : Promise.reject(new TypeError('Failed to fetch')));
const open = (setup: Partial<PageSetup> = {}): Page => openPage(browser, { url: gateway.url, wire: network, ...setup });
const logIn = (page: Page, as = email) => page.client.login({ email: as, password: PASSWORD });
const status = (page: Page): string => page.client.state().status;
const logouts = (page: Page): number => page.asked.filter(({ path }) => path === '/auth/logout').length;
const OFFLINE = { kind: 'offline', status: 0 };
const TRYING = { status: 'signing-out', error: expect.objectContaining(OFFLINE) };

/** A page that somebody has logged in and, without a network, out. */
async function leave(setup: Partial<PageSetup> = {}): Promise<Page> {
  const page = open(setup);
  await logIn(page);
  isOnline = false;
  await expect(page.client.logout()).rejects.toMatchObject(OFFLINE);
  return page;
}

async function expectLoggedOut(): Promise<void> {
  expect(browser.jar.refreshToken).toBeUndefined();
  expect([...browser.storage.items]).toEqual([]);
  const live = 'select 1 from refresh_tokens r join users u on u.id = r.user_id where not revoked and email = $1';
  expect(await gateway.rows(live, [email])).toEqual([]);
}

/** Lets the waits of the page end until it is signed out. */
async function signedOut(page: Page): Promise<void> {
  const isOut = (): boolean => status(page) === 'signed-out';
  while (!isOut()) {
    await until('it waits for its next try', () => isOut() || page.time.due().some((ms) => ms <= SOON_MS));
    if (!isOut()) await page.time.pass(SOON_MS);
  }
}

test('Interface 13: without a network a logout says so, gives no token to anybody, and is done later', async () => {
  const page = await leave();
  expect(page.client.state()).toEqual(TRYING);
  expect(await page.client.getAccessToken()).toBeUndefined();
  isOnline = true;
  await page.client.fetch(`${gateway.url}/graphql`, { method: 'POST' });
  expect(page.asked.at(-1)).toEqual({ path: '/graphql', retry: null, authorization: null });
  await signedOut(page);
  expect(page.events.at(-1)).toEqual({ event: 'signed-out', happened: { reason: 'logout' } });
  await expectLoggedOut();
});

test('Interface 13: a logout is tried again as soon as the network is back, or somebody asks', async () => {
  let online = (): void => undefined;
  const onOnline = (listener: () => void): void => {
    online = listener;
  };
  const page = await leave({ environment: { onOnline } });
  const state = page.client.state();
  await expect(page.client.logout()).rejects.toMatchObject(OFFLINE);
  expect([logouts(page), page.client.state()]).toEqual([2, state]);
  isOnline = true;
  online();
  await until('it is logged out', () => status(page) === 'signed-out');
  expect(logouts(page)).toBe(3);
  await expectLoggedOut();
});

test.each<{ without: NonNullable<PageSetup['without']> }>([{ without: [] }, { without: ['locks', 'openChannel'] }])(
  'Interface 13: a page that is loaded meanwhile says the same from the beginning, and does it, without $without',
  async ({ without }) => {
    await leave({ without });
    const again = open({ without });
    expect(again.client.state()).toEqual({ status: 'signing-out' });
    expect(await again.client.getAccessToken()).toBeUndefined();
    await again.time.pass(SOON_MS);
    await again.time.pass(SOON_MS);
    await until('it has tried', () => logouts(again) === 1 && 'error' in again.client.state());
    expect(again.client.state()).toEqual(TRYING);
    isOnline = true;
    await signedOut(again);
    expect(again.refreshes()).toBe(0);
    await expectLoggedOut();
  },
);

test('Interface 13: a page that is loaded in the middle of a logout waits for its answer first', async () => {
  const cut = open({
    wire: (request, next) => (request.url.endsWith('/logout') ? new Promise(() => undefined) : next()),
  });
  await logIn(cut);
  void cut.client.logout();
  await until('it has asked', () => logouts(cut) === 1);
  const again = open({ without: ['locks'] });
  await again.time.pass(SOON_MS);
  await until('it waits', () => again.time.due().includes(CUT_OFF_MS));
  expect([status(again), logouts(again)]).toEqual(['signing-out', 0]);
  await again.time.pass(CUT_OFF_MS);
  await until('it is logged out', () => status(again) === 'signed-out');
  await expectLoggedOut();
});

test('Interface 13: all tabs say so, and another goes on if the first is closed', async () => {
  const [one, two] = [open(), open()];
  await logIn(one);
  await until('the other has heard', () => status(two) === 'signed-in');
  isOnline = false;
  await expect(one.client.logout()).rejects.toMatchObject(OFFLINE);
  await until('the other has heard', () => status(two) === 'signing-out');
  expect(await two.client.getAccessToken()).toBeUndefined();
  isOnline = true;
  await signedOut(two); // the timers of the first do not run any more
  await until('the first has heard', () => status(one) === 'signed-out');
  await expectLoggedOut();
});

test('Interface 13: without a channel a tab learns of it when it next needs a token', async () => {
  const two = open({ without: ['openChannel'] });
  await logIn(two);
  const one = open({ without: ['openChannel'] });
  expect(await one.client.getAccessToken()).toEqual(expect.any(String));
  isOnline = false;
  await expect(one.client.logout()).rejects.toMatchObject(OFFLINE);
  expect([await two.client.getAccessToken(), status(two)]).toEqual([undefined, 'signing-out']);
});

test.each<{ without: NonNullable<PageSetup['without']>; same: boolean }>([
  { same: true, without: [] },
  { same: true, without: ['storage'] },
  { same: false, without: [] },
  { same: false, without: ['openChannel'] },
])('Interface 13: a login ends it: in the same tab: $same, without $without', async ({ same, without }) => {
  const page = await leave({ without });
  isOnline = true;
  const other = await gateway.user();
  const entered = same ? page : open({ without });
  await Promise.all([logIn(entered, other.email), !same && entered.time.pass(CUT_OFF_MS)]);
  expect(await page.client.getAccessToken()).toEqual(expect.any(String));
  expect(page.client.state()).toMatchObject({ status: 'signed-in', user: { sub: other.id } });
  const sent = logouts(page);
  await until('nothing more is to come', () => page.time.due().length === 0);
  expect([logouts(page), logouts(entered)]).toEqual([sent, same ? sent : 0]);
  expect(await open({ without }).client.getAccessToken()).toEqual(expect.any(String));
});

test('Interface 13: a wait that the gateway asks for is kept', async () => {
  const busy: Wire = (request, next) => {
    if (isOnline || !request.url.endsWith('/logout')) return next();
    const headers = { 'content-type': 'application/json', 'retry-after': '7' };
    return Promise.resolve(new Response('{"detail":"Later","reason":"unavailable"}', { status: 503, headers }));
  };
  const page = open({ wire: busy });
  await logIn(page);
  isOnline = false;
  await expect(page.client.logout()).rejects.toMatchObject({ kind: 'refused', status: 503, retryAfterSeconds: 7 });
  await until('it waits', () => page.time.due().some((ms) => ms >= 7_000));
  isOnline = true;
  await page.time.pass(8_000);
  await until('it is logged out', () => status(page) === 'signed-out');
  await expectLoggedOut();
});
