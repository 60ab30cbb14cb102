/** Answers that are lost, late, delayed or not the gateway's, and pages that close meanwhile. (Interface 12 and 13) */

import { CALLER_MS, LIMITED_MS } from '../../client/src/client.js';
import { CUT_OFF_MS } from '../../client/src/refresh.js';
import { ANSWER_MS } from '../../client/src/routes.js';
import { LOCK_MS } from '../../client/src/turns.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup, type Wire } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { hold } from '../support/held-promise.js';
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
afterEach(() => browser.close());

const open = (setup: Partial<PageSetup> = {}): Page => openPage(browser, { url: gateway.url, ...setup });
const logIn = (page: Page) => page.client.login({ email, password: PASSWORD });
const thefts = () => gateway.rows("select 1 from audit_events where event_type = 'token_theft'");
/** The longest first wait between two tries */
const FIRST_MS = 1_000;

/** Each refresh meets the next of these, and then the gateway. */
function refreshesMeet(...faults: Wire[]): Wire {
  return (request, next) => {
    const fault = new URL(request.url).pathname === '/auth/refresh' ? faults.shift() : undefined;
    return fault === undefined ? next() : fault(request, next);
  };
}

const lose: Wire = () => Promise.reject(new TypeError('Failed to fetch'));
const never: Wire = () => new Promise(() => undefined);
const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Wire =>
  async () =>
    new Response(body, { status, headers });
const json = { 'content-type': 'application/json' };
const DETAIL = JSON.stringify({ detail: 'Not today' });

test.each<[string, Wire]>([
  ['no network', lose],
  [
    'an answer that breaks off',
    async () => new Response(new ReadableStream({ start: (all) => all.error(new Error('cut')) })),
  ],
  ['500', answer(500, DETAIL, json)],
  ['502 of a proxy', answer(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' })],
  ['503', answer(503, DETAIL, json)],
  ['429', answer(429, DETAIL, json)],
  ['the 401 of a proxy', answer(401, DETAIL, { ...json, 'www-authenticate': 'Basic realm="proxy"' })],
  ['the 401 of a portal', answer(401, '<p>Log in to the hotel</p>', { 'content-type': 'text/html' })],
  ['the 200 of a portal', answer(200, '<p>Welcome to the hotel</p>', { 'content-type': 'text/html' })],
  ['another JSON', answer(200, '{"access_token":"x.y.z"}', json)],
])('Interface 13: %s signs nobody out: the refresh is tried again, with the same key', async (_, fault) => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(fault, fault, fault) });
  const token = page.client.getAccessToken();
  for (let i = 0; i < 3; i += 1) await page.time.pass(FIRST_MS * 2 ** i);
  expect(await token).toEqual(expect.any(String));
  expect(page.asked.map(({ retry }) => retry)).toEqual(Array(4).fill(page.asked[0]?.retry));
  expect(page.asked[0]?.retry).toMatch(/^this=:[A-Za-z0-9+/]{43}=:$/);
  expect(page.events.map(({ event }) => event)).toEqual(['offline', 'offline', 'offline', 'signed-in']);
  expect(await thefts()).toEqual([]);
});

test('Interface 12: the key of an answered refresh is the next one’s previous, and no key is used for two rotations', async () => {
  const page = open();
  await logIn(page);
  for (let i = 0; i < 3; i += 1) {
    page.time.skip(1_000_000);
    await page.client.getAccessToken();
  }
  const fields = page.asked.map(({ retry }) => retry).filter((retry) => retry !== null);
  const keys = fields.map((field) => /^this=:([^:]+):(?:, previous=:([^:]+):)?$/.exec(field) ?? []);
  expect(keys.map(([, , previous]) => previous)).toEqual([undefined, keys[0]?.[1], keys[1]?.[1]]);
  expect(new Set(keys.map(([, key]) => key)).size).toBe(3);
});

test('Interface 12: as often as late answers bring a used cookie back, the key of its rotation is sent', async () => {
  const withRetry = await startGateway({ clock: runningClock(), env: { REFRESH_RETRY: 'true' } });
  const page = open({ url: withRetry.url });
  await page.client.login({ email: (await withRetry.user()).email, password: PASSWORD });
  const first = browser.jar.refreshToken;
  page.time.skip(1_000_000);
  await page.client.getAccessToken();
  for (let i = 0; i < 3; i += 1) {
    browser.jar.refreshToken = first;
    page.time.skip(1_000_000);
    expect(await page.client.getAccessToken()).toEqual(expect.any(String));
  }
  const [made, ...again] = page.asked.flatMap(({ retry }) => (retry === null ? [] : [retry]));
  const key = made?.replace('this=', '');
  expect(again.map((field) => field.replace(/^.*previous=/, ''))).toEqual([key, key, key]);
  expect(new Set(again).size).toBe(3);
  await withRetry.close();
});

test('Interface 12: a page that is loaded again in the middle of a refresh waits for the answer, and repeats with the same key', async () => {
  const held = hold();
  await logIn(open());
  const slow: Wire = async (_request, next) => {
    await held.promise;
    return next();
  };
  const cut = open({ without: ['locks'], wire: slow }); // a page that is closed keeps no lock
  await until('it has asked', () => cut.refreshes() === 1);

  const again = open({ without: ['locks', 'openChannel'] });
  const token = again.client.getAccessToken();
  await until('it waits', () => again.time.due().includes(CUT_OFF_MS));
  expect(again.refreshes()).toBe(0);
  held.end();
  await cut.client.getAccessToken(); // what the closed page asked for has arrived, and with it the cookie
  await again.time.pass(CUT_OFF_MS);
  expect(await token).toEqual(expect.any(String));
  expect(await thefts()).toEqual([]);
});

test('Interface 12: it also waits if a logout comes first and is refused', async () => {
  await logIn(open());
  const cut = open({ without: ['locks'], wire: never });
  await until('it has asked', () => cut.refreshes() === 1);
  const refusal: Wire = (request, next) =>
    request.url.endsWith('/logout') ? answer(403, DETAIL, json)(request, next) : next();
  const again = open({ wire: refusal });
  await until('it waits', () => again.time.due().includes(CUT_OFF_MS));
  const left = again.client.logout();
  await expect(left).rejects.toMatchObject({ status: 403 });
  await until('it waits', () => again.time.due().includes(CUT_OFF_MS));
  expect(again.refreshes()).toBe(0);
  await again.time.pass(CUT_OFF_MS);
  expect(await again.client.getAccessToken()).toEqual(expect.any(String));
});

test('Interface 12: a login waits for a logout that another page was cut off from, also for one that ended nothing', async () => {
  const cut = open({ wire: never, without: ['locks'] });
  void cut.client.logout();
  await until('it has asked', () => cut.asked.length === 1);
  const page = open();
  const user = logIn(page);
  await until('it waits', () => page.time.due().includes(CUT_OFF_MS));
  expect(page.asked).toEqual([]);
  await page.time.pass(CUT_OFF_MS);
  expect(await user).toMatchObject({ role: 'viewer' });
  expect(await open().client.getAccessToken()).toEqual(expect.any(String));
});

test('Interface 12: what is cut off before it arrived is asked for again with its key', async () => {
  await logIn(open());
  const cut = open({ without: ['locks'], wire: never });
  await until('it has asked', () => cut.refreshes() === 1);
  const again = open();
  const token = again.client.getAccessToken();
  await again.time.pass(CUT_OFF_MS);
  expect(await token).toEqual(expect.any(String));
  expect(again.asked[0]?.retry).toBe(cut.asked[0]?.retry);
});

test('Interface 13: an answer that takes too long is not waited for, and does no harm when it comes', async () => {
  const held = hold();
  const late: Wire = async (_request, next) => {
    await held.promise;
    return next();
  };
  await logIn(open());
  const page = open({ wire: refreshesMeet(late) });
  const token = page.client.getAccessToken();
  await until('it waits', () => page.time.due().includes(ANSWER_MS));
  await page.time.pass(ANSWER_MS);
  await page.time.pass(FIRST_MS);
  expect(await token).toEqual(expect.any(String));
  expect(page.refreshes()).toBe(2);
  held.end();
});

test('Interface 13: a lock that hangs is waited for so long, and is not stolen', async () => {
  await logIn(open());
  const held = hold();
  const [name = ''] = browser.storage.items.keys(); // the lock has the name of the stored item
  const hung = browser.tab().locks?.request(name, () => held.promise);
  const page = open({ without: ['openChannel'] });
  const token = page.client.getAccessToken();
  await until('it waits', () => page.time.due().includes(LOCK_MS));
  await page.time.pass(LOCK_MS);
  expect(await token).toEqual(expect.any(String));
  held.end();
  await hung;
});

test('Interface 13: a wait grows, is not shorter than Retry-After, and ends when the network is back unless the gateway asked for it', async () => {
  let online = (): void => undefined;
  const onOnline = (listener: () => void): void => {
    online = listener;
  };
  await logIn(open());
  const busy = answer(503, DETAIL, { ...json, 'retry-after': '7' });
  const page = open({ wire: refreshesMeet(lose, lose, lose, busy), environment: { onOnline } });
  const token = page.client.getAccessToken();
  const bounds: Array<[number, number]> = [
    [500, 1_000],
    [1_000, 2_000],
    [2_000, 4_000],
  ];
  const waits = (): number[] => page.time.due().filter((ms) => ms !== CALLER_MS && ms !== ANSWER_MS);
  for (const [index, [least, most]] of bounds.entries()) {
    await until('it waits', () => page.refreshes() === index + 1 && waits().length === 1);
    expect(waits()[0]).toBeGreaterThanOrEqual(least);
    expect(waits()[0]).toBeLessThanOrEqual(most);
    online();
  }
  await until('it waits', () => page.refreshes() === 4 && waits().length === 1);
  expect(waits()[0]).toBeGreaterThanOrEqual(7_000);
  online();
  expect([page.refreshes(), waits().length]).toEqual([4, 1]);
  await page.time.pass(20_000);
  expect(await token).toEqual(expect.any(String));
});

test('Interface 13: a call for a token fails after a while, and the refresh continues', async () => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(answer(503, DETAIL, { ...json, 'retry-after': '60' })) });
  const token = page.client.getAccessToken();
  await until('it was answered', () => page.events.length === 1);
  const refused = expect(token).rejects.toMatchObject({
    ...{ name: 'AuthError', status: 503, detail: 'Not today', retryAfterSeconds: 60 },
  });
  await page.time.pass(CALLER_MS);
  await refused;
  expect(page.client.state()).toEqual({ status: 'loading' });
  await page.time.pass(40_000);
  await until('it is signed in', () => page.client.state().status === 'signed-in');
});

/** The answer of a limit, which asks for the longest wait there is */
const limited = answer(429, JSON.stringify({ detail: 'Too many requests, try again later', reason: 'rate_limited' }), {
  ...json,
  'retry-after': '60',
});
const LIMITED_ERROR = { name: 'AuthError', status: 429, detail: 'Too many requests, try again later' };
const signedOut = (page: Page) => page.events.filter(({ event }) => event === 'signed-out');

test('Interface 13: who asks for a token after a 429 waits for as long as the gateway asks for, and has one', async () => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(limited) });
  const answered = page.client.fetch(`${gateway.url}/graphql`, { method: 'POST' });
  await until('it was answered', () => page.events.length === 1);
  expect([...browser.storage.items.values()]).toEqual([expect.stringContaining('"sid"')]);
  await page.time.pass(CALLER_MS);
  await page.time.pass(LIMITED_MS - CALLER_MS + FIRST_MS);
  expect((await answered).status).toBe(415); // it has come there, with a token
  expect(page.asked.at(-1)?.authorization).toMatch(/^Bearer /);
  expect(page.refreshes()).toBe(2);
  expect(signedOut(page)).toEqual([]);
});

test('Interface 13: after one more 429 a call fails within 90 s, and the session goes on', async () => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(limited, limited) });
  const refused = expect(page.client.getAccessToken()).rejects.toMatchObject({
    ...LIMITED_ERROR,
    retryAfterSeconds: 60,
  });
  await until('it was answered', () => page.events.length === 1);
  await page.time.pass(CALLER_MS);
  await page.time.pass(LIMITED_MS);
  await refused;
  await until('it was answered again', () => page.events.length === 2);
  await page.time.pass(LIMITED_MS + 2 * FIRST_MS);
  expect(await page.client.getAccessToken()).toEqual(expect.any(String));
  expect(signedOut(page)).toEqual([]);
});

test('Interface 13: a token that has not expired is used while the gateway asks for a wait', async () => {
  const page = open({ wire: refreshesMeet(limited) });
  await logIn(page);
  const first = await page.client.getAccessToken();
  page.time.skip(850_000);
  expect(await page.client.getAccessToken()).toBe(first);
  await until('it was answered', () => page.events.at(-1)?.event === 'offline');
  expect([await page.client.getAccessToken(), page.client.state().status]).toEqual([first, 'signed-in']);
  expect(page.refreshes()).toBe(1);
});

test('Interface 13: who waits for a token waits no longer than their own signal says', async () => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(limited) });
  const ends = new AbortController();
  const { signal } = ends;
  const waiting = [
    page.client.getAccessToken({ signal }),
    page.client.fetch(`${gateway.url}/graphql`, { method: 'POST', signal }),
    page.client.fetch(new Request(`${gateway.url}/graphql`, { method: 'POST', signal })),
  ];
  await until('it was answered', () => page.events.length === 1);
  const reason = new Error('the reader has gone on');
  ends.abort(reason);
  for (const one of waiting) await expect(one).rejects.toBe(reason);
  await expect(page.client.getAccessToken({ signal })).rejects.toBe(reason);

  const other = page.client.getAccessToken(); // the refresh goes on for others
  await page.time.pass(LIMITED_MS + FIRST_MS);
  expect(await other).toEqual(expect.any(String));
  expect(page.refreshes()).toBe(2);
});

test('Interface 13: a fetch that is answered 401 and then waits for a token ends by its signal too', async () => {
  const meets = refreshesMeet(limited);
  const wire: Wire = (request, next) =>
    request.url.endsWith('/api') ? answer(401, DETAIL, json)(request, next) : meets(request, next);
  const page = open({ wire });
  await logIn(page);
  const ends = new AbortController();
  const asked = page.client.fetch(`${gateway.url}/api`, { signal: ends.signal });
  await until('it was answered', () => page.events.at(-1)?.event === 'offline');
  ends.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

test.each<{ without: NonNullable<PageSetup['without']> }>([{ without: [] }, { without: ['openChannel'] }])(
  'Interface 13: the 429 of one tab is that of all, and of a page that is loaded meanwhile, without $without',
  async ({ without }) => {
    await logIn(open({ without }));
    const page = open({ without, wire: refreshesMeet(limited) });
    const token = page.client.getAccessToken();
    await until('it was answered', () => page.events.length === 1);
    const others = Array.from({ length: 5 }, () => open({ without }));
    const tokens = others.map(({ client }) => client.getAccessToken());
    await until('they have heard of it', () => others.every(({ events }) => events.length === 1));
    expect(others.map(({ events }) => events)).toEqual(
      Array(5).fill([{ event: 'offline', happened: { error: expect.objectContaining(LIMITED_ERROR) } }]),
    );
    expect(others.map(({ refreshes }) => refreshes())).toEqual(Array(5).fill(0));
    await page.time.pass(LIMITED_MS + FIRST_MS);
    expect(await token).toEqual(expect.any(String));
    if (without.length > 0) for (const { time } of others) await time.pass(LIMITED_MS + FIRST_MS);
    expect(await Promise.all(tokens)).not.toContain(undefined);
    expect(others.map(({ refreshes }) => refreshes())).toEqual(Array(5).fill(without.length));
    expect(await thefts()).toEqual([]);
  },
);

test('Interface 13: what another clock has written of a wait is not believed for longer than a minute', async () => {
  await logIn(open());
  const ahead = open({ wire: refreshesMeet(limited), environment: { now: () => 3_600_000 } });
  await until('it was answered', () => ahead.events.length === 1);
  expect(await open().client.getAccessToken()).toEqual(expect.any(String));
});

test('Interface 13: a login does not wait for the 429 of the session before', async () => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(limited) });
  const token = page.client.getAccessToken();
  await until('it was answered', () => page.events.length === 1);
  await logIn(page);
  expect(await token).toEqual(expect.any(String));
  expect(await open({ without: ['openChannel'] }).client.getAccessToken()).toEqual(expect.any(String));
});

test('Interface 13: what another try will not change is said at once, and tried again when asked', async () => {
  await logIn(open());
  const page = open({ wire: refreshesMeet(answer(403, DETAIL, json)) });
  await expect(page.client.getAccessToken()).rejects.toMatchObject({ status: 403, detail: 'Not today' });
  expect(await page.client.getAccessToken()).toEqual(expect.any(String));
});

test('Interface 13: the 401 of the gateway signs out, in all tabs, and says why', async () => {
  const [one, two] = [open(), open()];
  await logIn(one);
  await until('the other has heard', () => two.client.state().status === 'signed-in');
  await gateway.rows('update refresh_tokens set revoked = true');
  one.time.skip(1_000_000);
  expect(await one.client.getAccessToken()).toBeUndefined();
  const happened = { reason: 'refused', detail: 'Session invalidated — please log in again' };
  expect(one.events.at(-1)).toEqual({ event: 'signed-out', happened });
  await until('the other has heard', () => two.client.state().status === 'signed-out');
  expect(two.events.at(-1)).toEqual({ event: 'signed-out', happened });
  expect([...browser.storage.items]).toEqual([]);
  expect(await open().client.getAccessToken()).toBeUndefined();
  await gateway.rows("delete from audit_events where event_type = 'token_theft'");
});

describe('Interface 13: a logout wins over a refresh that is under way', () => {
  /** Asks the gateway at once, and gives the answer when the test says so. */
  function delayed(): { wire: Wire; held: ReturnType<typeof hold> } {
    const held = hold();
    const wire = refreshesMeet(async (_request, next) => {
      const response = await next();
      await held.promise;
      return response;
    });
    return { wire, held };
  }

  async function expectNothingLeft(): Promise<void> {
    expect(browser.jar.refreshToken).toBeUndefined();
    expect([...browser.storage.items]).toEqual([]);
    expect(
      await gateway.rows(
        'select 1 from refresh_tokens r join users u on u.id = r.user_id where not revoked and email = $1',
        [email],
      ),
    ).toEqual([]);
  }

  test('in this tab', async () => {
    await logIn(open());
    const { wire, held } = delayed();
    const page = open({ wire });
    const token = page.client.getAccessToken();
    await until('it has asked', () => page.refreshes() === 1);
    const left = page.client.logout();
    expect(page.client.state()).toEqual({ status: 'signing-out' });
    held.end();
    await left;
    expect(await token).toBeUndefined();
    expect(page.client.state()).toEqual({ status: 'signed-out' });
    await expectNothingLeft();
  });

  test.each<{ without: NonNullable<PageSetup['without']> }>([
    { without: [] },
    { without: ['locks'] },
    { without: ['openChannel'] },
    { without: ['locks', 'openChannel'] },
  ])('in another tab, without $without', async ({ without }) => {
    const leaver = open({ without });
    await logIn(leaver);
    const { wire, held } = delayed();
    const page = open({ without, wire });
    await until('it has asked', () => page.refreshes() === 1);
    const left = leaver.client.logout();
    if (without.includes('locks')) await left;
    held.end();
    await left;
    expect(await page.client.getAccessToken()).toBeUndefined();
    await until('nothing is left', () => browser.jar.refreshToken === undefined);
    await until('it says so', () => page.client.state().status === 'signed-out');
    await expectNothingLeft();
  });

  test('and one that the gateway refuses leaves the session as it was', async () => {
    const refusal: Wire = (request, next) =>
      request.url.endsWith('/logout') ? answer(403, DETAIL, json)(request, next) : next();
    const page = open({ wire: refusal });
    await logIn(page);
    await expect(page.client.logout()).rejects.toMatchObject({ kind: 'refused', status: 403 });
    expect(await page.client.getAccessToken()).toEqual(expect.any(String));
    expect(page.client.state().status).toBe('signed-in');
  });
});
