/** Logins of the client that want a second factor. (Interface 13 and 20) */
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup, type Wire } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { addPasskey, codeAt, type WithTotp, withTotp, wrongCode } from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let browser: Browser;
let owner: WithTotp;
beforeAll(async () => {
  const env = { LOGIN_MAX_FAILURES: '5', LOGIN_RATE_LIMIT: '100000' };
  gateway = await startGateway({ clock: runningClock(), env });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  browser = startBrowser(gateway.config.publicUrl);
  owner = await withTotp(gateway);
});
afterEach(() => browser.close());

const open = (setup: Partial<PageSetup> = {}): Page => openPage(browser, { url: gateway.url, ...setup });
const status = (page: Page): string => page.client.state().status;
const logIn = (page: Page, email = owner.user.email) => page.client.login({ email, password: PASSWORD });
const code = (): string => codeAt(owner.secret, gateway.clock.now());
const wrong = (): string => wrongCode(owner.secret, gateway.clock.now());
const sidOf = async (page: Page): Promise<unknown> => claimsOf((await page.client.getAccessToken()) ?? '')['sid'];
const refused = (reason: string, status = 401) => ({ name: 'AuthError', kind: 'refused', status, reason });

async function openHalf(setup?: Partial<PageSetup>): Promise<Page> {
  const page = open(setup);
  expect(await logIn(page)).toBeUndefined();
  return page;
}

test('Interface 20: the right password is half a login: no user, no token, no cookie, and nothing in storage', async () => {
  const page = open();
  page.time.skip(5_000);
  expect(await logIn(page)).toBeUndefined();
  expect(page.client.state()).toEqual({
    status: 'second-factor',
    factors: ['totp', 'recovery_code'],
    expiresAt: 305_000,
  });
  expect([await page.client.getAccessToken(), page.refreshes(), page.events]).toEqual([undefined, 0, []]);
  expect([browser.jar.refreshToken, [...browser.storage.items]]).toEqual([undefined, []]);
  expect(JSON.stringify(page.client.state())).not.toMatch(/[\w-]{43}/); // the challenge
  expect(open().client.state()).toEqual({ status: 'signed-out' }); // a reload forgets it
});

test('Interface 20: a code completes it', async () => {
  const page = await openHalf();
  const user = await page.client.secondFactor({ code: code() });
  expect(user).toEqual({ sub: owner.user.id, role: 'viewer', scopes: [] });
  expect(page.client.state()).toEqual({ status: 'signed-in', user });
  expect(page.events).toEqual([{ event: 'signed-in', happened: { user } }]);
  expect(claimsOf((await page.client.getAccessToken()) ?? '')).toMatchObject({ acr: 'aal2' });
  const again = open();
  expect([await sidOf(again), again.client.state()]).toEqual([await sidOf(page), { status: 'signed-in', user }]);
});

test('Interface 20: a recovery code completes it, also after the login of a form', async () => {
  const page = open();
  const form = new FormData();
  form.append('email', owner.user.email);
  form.append('password', PASSWORD);
  await page.client.login(form);
  const [recoveryCode = ''] = owner.recoveryCodes;
  expect(await page.client.secondFactor({ recoveryCode })).toMatchObject({ sub: owner.user.id });
  expect(status(page)).toBe('signed-in');
});

test('Interface 20: a passkey completes it', async () => {
  const { authenticator } = await addPasskey(gateway, owner);
  let challenge = '';
  const page = await openHalf({
    wire: async (_request, next) => {
      const answer = await next();
      ({ challenge } = await answer.clone().json());
      return answer;
    },
  });
  expect(page.client.state()).toMatchObject({ factors: ['totp', 'passkey', 'recovery_code'] });
  const options = await gateway.send('POST', '/auth/login/passkey/options', { body: { challenge } });
  const credential = authenticator.get(options.json.publicKey);
  expect(await page.client.secondFactor({ credential })).toMatchObject({ sub: owner.user.id });
});

test('Interface 20: a wrong code says so, and another may be tried', async () => {
  const page = await openHalf();
  const state = page.client.state();
  await expect(page.client.secondFactor({ code: wrong() })).rejects.toMatchObject(refused('invalid_credentials'));
  await expect(page.client.secondFactor({ recoveryCode: 'wrong' })).rejects.toMatchObject({ status: 401 });
  expect(page.client.state()).toBe(state);
  await page.client.secondFactor({ code: code() });
  expect(status(page)).toBe('signed-in');
});

test('Interface 20: a locked account is 429 with the time to wait, and the half login stays', async () => {
  const page = await openHalf();
  for (let i = 0; i < 5; i += 1) {
    await expect(page.client.secondFactor({ code: wrong() })).rejects.toMatchObject({ status: 401 });
  }
  await expect(page.client.secondFactor({ code: code() })).rejects.toMatchObject({
    ...refused('account_locked', 429),
    retryAfterSeconds: expect.any(Number),
  });
  expect(status(page)).toBe('second-factor');
});

test('Interface 20: a failure of the network leaves the half login as it was', async () => {
  let isOnline = true;
  const wire: Wire = (_request, next) => (isOnline ? next() : Promise.reject(new TypeError('Failed to fetch')));
  const page = await openHalf({ wire });
  isOnline = false;
  await expect(page.client.secondFactor({ code: code() })).rejects.toMatchObject({ kind: 'offline' });
  expect(status(page)).toBe('second-factor');
  isOnline = true;
  await page.client.secondFactor({ code: code() });
});

test('Interface 20: after five minutes the login begins anew', async () => {
  const page = await openHalf();
  gateway.clock.advance(301);
  await expect(page.client.secondFactor({ code: code() })).rejects.toMatchObject(refused('challenge_invalid'));
  expect(page.client.state()).toEqual({ status: 'signed-out' });
});

test('Interface 20: a login that is given up is over, and its challenge forgotten', async () => {
  const page = await openHalf();
  page.client.cancelSecondFactor();
  expect(page.client.state()).toEqual({ status: 'signed-out' });
  await expect(page.client.secondFactor({ code: code() })).rejects.toMatchObject({ status: 422 });
  expect(status(page)).toBe('signed-out');
});

test('Interface 20: giving up what was not begun changes nothing', async () => {
  const page = await openHalf();
  await page.client.secondFactor({ code: code() });
  const state = page.client.state();
  page.client.cancelSecondFactor();
  expect(page.client.state()).toBe(state);
});

test('Interface 20: another login of the same page takes its place', async () => {
  const other = await gateway.user();
  const page = await openHalf();
  await expect(page.client.login({ email: other.email, password: 'wrong' })).rejects.toMatchObject({ status: 401 });
  expect(status(page)).toBe('second-factor');
  await logIn(page, other.email);
  expect(page.client.state()).toMatchObject({ status: 'signed-in', user: { sub: other.id } });
});

describe.each<{ without: NonNullable<PageSetup['without']> }>([{ without: [] }, { without: ['openChannel'] }])(
  'Interface 20: tabs without $without',
  ({ without }) => {
    test('a login in another tab takes its place', async () => {
      const other = await gateway.user();
      const [half, tab] = [await openHalf({ without }), open({ without })];
      await logIn(tab, other.email);
      expect(await sidOf(half)).toBe(await sidOf(tab));
      expect(half.client.state()).toMatchObject({ status: 'signed-in', user: { sub: other.id } });
    });

    test('a half login leaves the other tabs and their session alone', async () => {
      const other = await gateway.user();
      const [page, tab] = [open({ without }), open({ without })];
      await logIn(tab, other.email);
      const sid = await sidOf(page);
      expect(await logIn(page)).toBeUndefined();
      expect([status(page), await page.client.getAccessToken()]).toEqual(['second-factor', undefined]);
      tab.time.skip(1_000_000);
      expect([await sidOf(tab), status(page)]).toEqual([sid, 'second-factor']); // a refresh is no login
      page.client.cancelSecondFactor();
      expect(await sidOf(page)).toBe(sid);
      expect(page.client.state()).toMatchObject({ user: { sub: other.id } });
    });

    test('it replaces the session of all tabs once it is complete', async () => {
      const other = await gateway.user();
      const [page, tab] = [open({ without }), open({ without })];
      await logIn(tab, other.email);
      await page.client.getAccessToken();
      await logIn(page);
      await page.client.secondFactor({ code: code() });
      expect(await sidOf(tab)).toBe(await sidOf(page));
      expect(tab.client.state()).toMatchObject({ user: { sub: owner.user.id } });
    });

    test('a logout in another tab ends it', async () => {
      const other = await gateway.user();
      const [page, tab] = [open({ without }), open({ without })];
      await logIn(tab, other.email);
      await page.client.getAccessToken();
      await logIn(page);
      await tab.client.logout();
      expect(await page.client.getAccessToken()).toBeUndefined();
      await until('it has heard of it', () => status(page) === 'signed-out');
    });
  },
);

test('Interface 20: a logout ends it', async () => {
  const page = await openHalf();
  await page.client.logout();
  expect([status(page), browser.jar.refreshToken]).toEqual(['signed-out', undefined]);
});

test('Interface 20: a logout that is still wanted comes first', async () => {
  let isOnline = true;
  const wire: Wire = (request, next) =>
    isOnline || !request.url.endsWith('/logout') ? next() : Promise.reject(new TypeError('Failed to fetch'));
  const other = await gateway.user();
  const page = open({ wire });
  await logIn(page, other.email);
  isOnline = false;
  await expect(page.client.logout()).rejects.toMatchObject({ kind: 'offline' });
  await expect(logIn(page)).rejects.toMatchObject({ kind: 'offline' });
  expect(status(page)).toBe('signing-out');
  isOnline = true;
  expect(await logIn(page)).toBeUndefined();
  expect([status(page), browser.jar.refreshToken]).toEqual(['second-factor', undefined]);
  await page.client.secondFactor({ code: code() });
  expect(page.client.state()).toMatchObject({ user: { sub: owner.user.id } });
});
