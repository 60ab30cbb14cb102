/** The client's entry `account`, and `me()`: what users see and do with what is their own. (Interface 13 and 21) */
import * as account from '../../client/src/account.js';
import {
  changeEmail,
  deleteAccount,
  devices,
  endOtherSessions,
  endSession,
  exportData,
  forgetDevice,
  redeemEmail,
  sessions,
  undoEmail,
} from '../../client/src/account.js';
import { createAuthClient } from '../../client/src/browser.js';
import type { AuthClient } from '../../client/src/types.js';
import { testedBlock } from '../documents/printed.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup, type Wire } from '../support/browser/client-page.js';
import { newAddress, startUnmailed, waitingToken } from '../support/gateway/account.js';
import { runningClock } from '../support/gateway/clock.js';
import { codeAt, withTotp } from '../support/gateway/factors.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login } from '../support/gateway/routes.js';
import { hold } from '../support/held-promise.js';
import { until } from '../support/until.js';

/** Longer than a proof is fresh for what is one's own, and shorter than an access token lives: seconds */
const TEN_MINUTES = 600;
const TWO_HOURS = 7_200;
const STALE = { name: 'AuthError', kind: 'refused', status: 401, reason: 'confirmation_required', needsFactor: false };
const NOBODY = { name: 'AuthError', status: 401, reason: 'missing_credentials' };
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

let gateway: TestGateway;
const browsers: Browser[] = [];
beforeAll(async () => {
  gateway = await startUnmailed({ clock: runningClock(), env: { KNOWN_DEVICES: 'on' } });
});
afterAll(() => gateway.close());
afterEach(() => {
  for (const browser of browsers.splice(0)) browser.close();
});

function newBrowser(): Browser {
  const browser = startBrowser(gateway.config.publicUrl);
  browsers.push(browser);
  return browser;
}

const openIn = (browser: Browser, setup: Partial<PageSetup> = {}): Page =>
  openPage(browser, { url: gateway.url, ...setup });

interface Person extends Page {
  browser: Browser;
  id: string;
  email: string;
}

/** Somebody who has just logged in. */
async function openSignedIn(setup?: Partial<PageSetup>, role: 'viewer' | 'admin' = 'viewer'): Promise<Person> {
  const { id, email } = await gateway.user({ role });
  const browser = newBrowser();
  const page = openIn(browser, setup);
  await page.client.login({ email, password: PASSWORD });
  page.asked.length = 0;
  return { ...page, browser, id, email };
}

async function endAnother(client: AuthClient): Promise<void> {
  const other = (await sessions(client)).find(({ isCurrent }) => !isCurrent);
  await endSession(client, other?.id ?? '');
}

const paths = ({ asked }: Page): string[] => asked.map(({ path }) => path);
const status = ({ client }: Page): string => client.state().status;
const isGone = async (id: string): Promise<boolean> =>
  (await gateway.rows('select from users where id = $1', [id])).length === 0;

test('Interface 21: me() gives id, e-mail and role of who is logged in, and nobody has none', async () => {
  const page = await openSignedIn();
  expect(await page.client.me()).toEqual({ id: page.id, email: page.email, role: 'viewer' });
  expect(paths(page)).toEqual(['/graphql']);
  await page.client.logout();
  await expect(page.client.me()).rejects.toMatchObject({ ...NOBODY, kind: 'refused' });
});

test('Interface 21: sessions are listed, and ended one by one or all others at once', async () => {
  const page = await openSignedIn();
  const others = await Promise.all([1, 2, 3].map(() => login(gateway, page.email, PASSWORD, { 'user-agent': AGENT })));
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
  const listed = await sessions(page.client);
  expect(listed.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  const [other] = listed.filter(({ isCurrent }) => !isCurrent);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(other).toEqual({
    ...{ id: expect.any(String), isCurrent: false, startedAt: time, lastUsedAt: time },
    ...{ userAgent: AGENT, ipAddress: '127.0.0.1' },
  });
  expect(await endSession(page.client, other?.id ?? '')).toBeUndefined();
  expect((await sessions(page.client)).map(({ id }) => id)).toEqual(
    listed.map(({ id }) => id).filter((id) => id !== other?.id),
  );
  expect(await endOtherSessions(page.client)).toEqual({ sessionsEnded: 2 });
  expect(await sessions(page.client)).toMatchObject([{ isCurrent: true }]);
  expect(status(page)).toBe('signed-in');
});

test('Interface 21: all live sessions are listed, however many there are', async () => {
  const page = await openSignedIn();
  for (let i = 0; i < 100; i += 1) await login(gateway, page.email);
  const listed = await sessions(page.client);
  expect(new Set(listed.map(({ id }) => id)).size).toBe(101);
  expect(paths(page)).toEqual(['/graphql', '/graphql']);
});

test('Interface 21: the session of this page ends as by a logout, in all tabs', async () => {
  const page = await openSignedIn();
  const tab = openIn(page.browser);
  await until('the tab is signed in', () => status(tab) === 'signed-in');
  const [own] = await sessions(page.client);
  await endSession(page.client, own?.id ?? '');
  expect([status(page), page.browser.jar.refreshToken]).toEqual(['signed-out', undefined]);
  await until('the tab is signed out', () => status(tab) === 'signed-out');
  expect(page.events.at(-1)).toEqual({ event: 'signed-out', happened: { reason: 'logout' } });
});

test('Interface 21: nobody ends a session or forgets a device of somebody else', async () => {
  const page = await openSignedIn();
  const other = await openSignedIn();
  const [own] = await sessions(other.client);
  for (const end of [endSession, forgetDevice]) {
    await expect(end(page.client, own?.id ?? '')).rejects.toMatchObject({
      ...{ name: 'AuthError', kind: 'refused', status: 200, reason: 'scope_missing' },
    });
  }
});

test('Interface 21: devices are listed and forgotten', async () => {
  const page = await openSignedIn();
  const [device] = await devices(page.client);
  const time = expect.any(String);
  expect(device).toEqual({ id: expect.any(String), createdAt: time, lastUsedAt: time, userAgent: expect.any(String) });
  expect(await forgetDevice(page.client, device?.id ?? '')).toBeUndefined();
  expect(await devices(page.client)).toEqual([]);
});

test('Interface 21: the e-mail changes by the link to the new address, and the session stays', async () => {
  const page = await openSignedIn();
  const email = newAddress();
  expect(await changeEmail(page.client, { email })).toBeUndefined();
  expect(await page.client.me()).toMatchObject({ email: page.email });
  const token = await waitingToken(gateway, 'change', page.id);
  expect(await redeemEmail(page.client, { token })).toEqual({ email });
  expect([(await page.client.me()).email, status(page), page.refreshes()]).toEqual([email, 'signed-in', 0]);
  await expect(redeemEmail(page.client, { token })).rejects.toMatchObject({ status: 401, reason: 'link_invalid' });
  expect([status(page), page.refreshes()]).toEqual(['signed-in', 0]);
});

test('Interface 21: an address that is none is 422 with its errors', async () => {
  const page = await openSignedIn();
  await expect(changeEmail(page.client, { email: 'ada' })).rejects.toMatchObject({
    ...{ status: 422, reason: 'body_invalid', errors: [{ field: 'email' }] },
  });
});

/** Somebody who has just changed the e-mail. @returns the token in the link to the former address */
async function openChanged() {
  const page = await openSignedIn();
  await changeEmail(page.client, { email: newAddress() });
  await redeemEmail(page.client, { token: await waitingToken(gateway, 'change', page.id) });
  return { ...page, token: await waitingToken(gateway, 'undo', page.id) };
}

test('Interface 21: the link to the former address needs no session', async () => {
  const page = await openChanged();
  const away = openIn(newBrowser());
  await expect(undoEmail(away.client, { token: 'eu_unknown' })).rejects.toMatchObject({
    ...{ status: 401, reason: 'link_invalid' },
  });
  expect(await undoEmail(away.client, page)).toBeUndefined();
  expect([status(away), paths(away)]).toEqual(['signed-out', ['/auth/email/undo', '/auth/email/undo']]);
  expect(await page.client.me()).toMatchObject({ email: page.email }); // its token works until it expires
});

test('Interface 21: a page of a session that such a link ends is signed out, and one of another user is not', async () => {
  const page = await openChanged();
  const other = await openSignedIn();
  await undoEmail(other.client, page);
  await other.client.getAccessToken();
  expect([status(other), other.refreshes()]).toEqual(['signed-in', 1]);

  const own = await openChanged();
  await undoEmail(own.client, own);
  await until('it is signed out', () => status(own) === 'signed-out');
  expect(own.events.at(-1)).toMatchObject({ event: 'signed-out', happened: { reason: 'refused' } });
});

test('Interface 21: the download is what the gateway sent, to the byte', async () => {
  let sent = '';
  const page = await openSignedIn({
    wire: async (request, next) => {
      const answer = await next();
      if (request.url.endsWith('/export')) sent = await answer.clone().text();
      return answer;
    },
  });
  const blob = await exportData(page.client);
  expect([blob.type, await blob.text()]).toEqual(['application/json', sent]);
  expect(JSON.parse(sent)).toMatchObject({ id: page.id, user: { email: page.email }, sessions: [expect.anything()] });
  expect(sent).not.toContain('password_hash":"');
});

test('Interface 21: a download may take five minutes', async () => {
  const page = await openSignedIn({
    wire: async (request, next) => (request.url.endsWith('/export') ? hold().promise.then(next) : next()),
  });
  const data = exportData(page.client);
  await until('it is asked for', () => paths(page).length === 1);
  expect(page.time.due()).toEqual([300_000]);
  await Promise.all([expect(data).rejects.toMatchObject({ kind: 'late', status: 0 }), page.time.pass(300_000)]);
});

test.each<[string, (client: AuthClient) => Promise<unknown>, number]>([
  ['changeEmail', (client) => changeEmail(client, { email: newAddress() }), TEN_MINUTES],
  ['exportData', exportData, TEN_MINUTES],
  ['deleteAccount', deleteAccount, TEN_MINUTES],
  ['endOtherSessions', endOtherSessions, TWO_HOURS],
  ['endSession', endAnother, TWO_HOURS],
])('Interface 21: %s asks for a proof if the last one is old, and goes on after confirm()', async (_, run, seconds) => {
  const page = await openSignedIn();
  await login(gateway, page.email);
  gateway.clock.advance(seconds);
  await expect(run(page.client)).rejects.toMatchObject(STALE);
  expect([status(page), page.browser.jar.refreshToken]).toEqual(['signed-in', expect.any(String)]);
  await page.client.confirm({ password: PASSWORD });
  await run(page.client);
});

test('Interface 21: what client/README.md does asks for the password once', async () => {
  const [, names = '', code = ''] =
    /import (\{.*?\}) from '@auth-gateway\/client\/account';\n(.*)/s.exec(testedBlock('client/README.md', 'account')) ??
    [];
  const guideOf = new Function('auth', 'account', `const ${names} = account; ${code} return { endOthers, leave };`);
  const page = await openSignedIn();
  await login(gateway, page.email);
  gateway.clock.advance(TWO_HOURS);
  const asked: string[] = [];
  const ask = async (label: string) => {
    asked.push(label);
    return PASSWORD;
  };
  const { endOthers, leave } = guideOf(page.client, account);
  expect(await endOthers(ask)).toEqual({ sessionsEnded: 1 });
  await leave(ask);
  expect([asked, status(page)]).toEqual([['Password'], 'signed-out']);
});

test('Interface 21: a user with a factor is asked for it', async () => {
  const { user, secret } = await withTotp(gateway);
  const page = openIn(newBrowser());
  await page.client.login({ email: user.email, password: PASSWORD });
  gateway.clock.advance(60);
  await page.client.secondFactor({ code: codeAt(secret, gateway.clock.now()) });
  gateway.clock.advance(TWO_HOURS);
  for (const run of [exportData, endOtherSessions]) {
    await expect(run(page.client)).rejects.toMatchObject({ ...STALE, needsFactor: true });
  }
});

test('Interface 21: after deleteAccount all tabs are signed out, and nothing is left in the browser', async () => {
  const page = await openSignedIn();
  const tab = openIn(page.browser);
  await until('the tab is signed in', () => status(tab) === 'signed-in');
  expect(await deleteAccount(page.client)).toBeUndefined();
  expect([status(page), page.browser.jar.refreshToken]).toEqual(['signed-out', undefined]);
  await until('the tab is signed out', () => status(tab) === 'signed-out');
  for (const { events } of [page, tab]) {
    expect(events.at(-1)).toEqual({ event: 'signed-out', happened: { reason: 'logout' } });
  }
  expect([...page.browser.storage.items]).toEqual([]);
  expect(await isGone(page.id)).toBe(true);
  await expect(page.client.login({ email: page.email, password: PASSWORD })).rejects.toMatchObject({ status: 401 });
});

test('Interface 21: who logs in meanwhile in another tab is not deleted, and stays logged in', async () => {
  const held = hold();
  const page = await openSignedIn();
  const tab = openIn(page.browser, {
    wire: async (request, next) => {
      const answer = await next();
      if (request.url.endsWith('/login')) await held.promise;
      return answer;
    },
  });
  const { id, email } = await gateway.user();
  await page.client.getAccessToken();
  const entered = tab.client.login({ email, password: PASSWORD });
  await until('the login has its turn', () => paths(tab).includes('/auth/login'));
  const deleted = deleteAccount(page.client);
  held.end();
  await entered;
  const failure = await deleted.then(
    () => undefined,
    ({ reason }) => reason,
  );
  expect(failure).toBe('missing_credentials');
  expect([await isGone(page.id), await isGone(id)]).toEqual([false, false]);
  await tab.client.getAccessToken();
  expect([status(tab), (await tab.client.me()).id]).toEqual(['signed-in', id]);
});

test('Interface 21: a session that has ended elsewhere deletes nobody, and is signed out', async () => {
  const page = await openSignedIn();
  await gateway.rows('update refresh_tokens set revoked = true where user_id = $1', [page.id]);
  await expect(deleteAccount(page.client)).rejects.toMatchObject(NOBODY);
  expect([status(page), await isGone(page.id)]).toEqual(['signed-out', false]);
});

test('Interface 21: without an answer to deleteAccount the session stays, until a refresh finds out', async () => {
  let isOnline = true;
  const wire: Wire = async (request, next) => {
    const answer = await next();
    if (!isOnline && request.method === 'DELETE') throw new TypeError('Failed to fetch');
    return answer;
  };
  const page = await openSignedIn({ wire });
  isOnline = false;
  await expect(deleteAccount(page.client)).rejects.toMatchObject({ kind: 'offline', status: 0 });
  expect([status(page), await isGone(page.id)]).toEqual(['signed-in', true]);
  await until('a refresh finds out', () => status(page) === 'signed-out');
  isOnline = true;
  await expect(deleteAccount(page.client)).rejects.toMatchObject(NOBODY);
});

test('Interface 21: the last administrator stays', async () => {
  const alone = await startGateway({ clock: runningClock() });
  const { email } = await alone.user({ role: 'admin' });
  const page = openIn(newBrowser(), { url: alone.url });
  await page.client.login({ email, password: PASSWORD });
  await expect(deleteAccount(page.client)).rejects.toMatchObject({ status: 409, reason: 'last_administrator' });
  expect([status(page), (await page.client.me()).role]).toEqual(['signed-in', 'admin']);
  await alone.close();
});

test('Interface 21: with ACCOUNT=off there is nothing to change, and me() and sessions() work', async () => {
  const off = await startGateway({ clock: runningClock(), env: { ACCOUNT: 'off', MAIL: 'log' } });
  const { email } = await off.user();
  const page = openIn(newBrowser(), { url: off.url });
  await page.client.login({ email, password: PASSWORD });
  for (const run of [exportData, deleteAccount, (client: AuthClient) => changeEmail(client, { email: newAddress() })]) {
    await expect(run(page.client)).rejects.toMatchObject({ name: 'AuthError', status: 404 });
  }
  expect([(await page.client.me()).email, (await sessions(page.client)).length, status(page)]).toEqual([
    ...[email, 1, 'signed-in'],
  ]);
  await off.close();
});

test.each<[string, Response]>([
  ['a portal', new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })],
  ['another server', Response.json({ ok: true })],
])('Interface 21: the page of %s is no answer', async (_, answer) => {
  const isLogin = ({ url }: Request): boolean => /login|refresh/.test(url);
  const page = await openSignedIn({
    wire: async (request, next) => (isLogin(request) ? next() : answer.clone()),
  });
  const token = 'el_x';
  for (const run of [
    ({ me }: AuthClient) => me(),
    ...[sessions, devices, endOtherSessions, exportData, deleteAccount],
    (client: AuthClient) => redeemEmail(client, { token }),
    (client: AuthClient) => undoEmail(client, { token }),
    (client: AuthClient) => changeEmail(client, { email: 'ada@example.com' }),
  ]) {
    await expect(run(page.client)).rejects.toMatchObject({ kind: 'unexpected', status: 200 });
  }
  expect(status(page)).toBe('signed-in');
});

test('Interface 21: a server without a page has no gateway', async () => {
  const client = createAuthClient({ url: '/' });
  for (const run of [client.me, () => sessions(client), () => deleteAccount(client)]) {
    await expect(run()).rejects.toThrow(TypeError);
  }
});
