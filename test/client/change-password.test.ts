/** `changePassword` of the client against the gateway. (Interface 13 and 15) */

import { ANSWER_MS } from '../../client/src/routes.js';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { CHOSEN } from '../support/gateway/passwords.js';
import { login, WRONG } from '../support/gateway/routes.js';

/** Longer than an access token lives: seconds */
const HOUR_SECONDS = 3_600;

let gateway: TestGateway;
let browsers: Browser[] = [];
let email: string;
let id: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock(), env: { LOGIN_MAX_FAILURES: '5' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  ({ email, id } = await gateway.user());
});
afterEach(() => {
  for (const browser of browsers) browser.close();
  browsers = [];
});

/** A page of a browser of its own. */
function open(setup: Partial<PageSetup> = {}): Page {
  const browser = startBrowser(gateway.config.publicUrl);
  browsers.push(browser);
  return openPage(browser, { url: gateway.url, ...setup });
}

async function openSignedIn(setup: Partial<PageSetup> = {}): Promise<Page> {
  const page = open(setup);
  await page.client.login({ email, password: PASSWORD });
  page.asked.length = 0;
  return page;
}

const change = ({ client }: Page, newPassword = CHOSEN, currentPassword = PASSWORD) =>
  client.changePassword({ currentPassword, newPassword });
const paths = ({ asked }: Page): string[] => asked.map(({ path }) => path);
const statusOf = async (password: string): Promise<number> => (await login(gateway, email, password)).status;

test('Interface 15: the password is changed, this session continues, all others end', async () => {
  const [page, other] = [await openSignedIn(), await openSignedIn()];
  expect(await change(page)).toEqual({ sessionsEnded: 1 });
  expect(paths(page)).toEqual(['/auth/password']);
  expect([await statusOf(PASSWORD), await statusOf(CHOSEN)]).toEqual([401, 200]);
  for (const tab of [page, other]) tab.time.skip(HOUR_SECONDS * 1_000);
  expect([await page.client.getAccessToken(), await other.client.getAccessToken()]).toEqual([
    expect.any(String),
    undefined,
  ]);
  expect([page.client.state().status, other.client.state().status]).toEqual(['signed-in', 'signed-out']);
});

test('Interface 15: a wrong current password is 403 with its reason, and no reason to refresh', async () => {
  const page = await openSignedIn();
  await expect(change(page, CHOSEN, WRONG)).rejects.toMatchObject({
    ...{ name: 'AuthError', status: 403, detail: 'Current password is wrong', reason: 'current_password_wrong' },
    ...{ errors: undefined, retryAfterSeconds: undefined },
  });
  expect(paths(page)).toEqual(['/auth/password']);
  expect(page.client.state().status).toBe('signed-in');
  expect(await statusOf(PASSWORD)).toBe(200);
});

test('Interface 15: a new password that breaks a rule is 422 with its errors', async () => {
  const page = await openSignedIn();
  const message = 'must have at least 15 characters';
  await expect(change(page, 'short')).rejects.toMatchObject({
    ...{ status: 422, detail: 'Request body is invalid', reason: 'body_invalid' },
    errors: [{ field: 'new_password', message, reason: 'too_short' }],
  });
  await expect(change(page, PASSWORD)).rejects.toMatchObject({ errors: [{ reason: 'current' }] });
});

test('Interface 15: a locked account is 429, with the time to wait', async () => {
  const page = await openSignedIn();
  for (let i = 0; i < 5; i += 1) await expect(change(page, CHOSEN, WRONG)).rejects.toMatchObject({ status: 403 });
  await expect(change(page)).rejects.toMatchObject({
    ...{ status: 429, reason: 'account_locked', retryAfterSeconds: expect.any(Number) },
  });
});

test('Interface 15: an expired token is renewed first', async () => {
  const page = await openSignedIn();
  page.time.skip(HOUR_SECONDS * 1_000);
  await change(page);
  expect(paths(page)).toEqual(['/auth/refresh', '/auth/password']);
});

test('Interface 15: a token that the gateway takes for expired is renewed, and the change sent again once', async () => {
  const page = await openSignedIn();
  gateway.clock.advance(HOUR_SECONDS);
  expect(await change(page)).toEqual({ sessionsEnded: 0 });
  expect(paths(page)).toEqual(['/auth/password', '/auth/refresh', '/auth/password']);
  expect(await statusOf(CHOSEN)).toBe(200);
});

test('Interface 15: if nobody is logged in, it is 401', async () => {
  const page = open();
  await expect(change(page)).rejects.toMatchObject({ status: 401, reason: 'missing_credentials' });
  expect(paths(page)).toEqual(['/auth/password']);
});

test('Interface 15: a deactivated user is 401, and logged out', async () => {
  const page = await openSignedIn();
  await setUserActive(gateway.app, COMMAND_LINE, id, false);
  await expect(change(page)).rejects.toMatchObject({ status: 401, reason: 'invalid_token' });
  expect(page.client.state().status).toBe('signed-out');
});

test('Interface 15: without an answer it is sent once, and no session ends', async () => {
  const lost = await openSignedIn({
    wire: (request, next) => (request.url.endsWith('/auth/password') ? Promise.reject(new TypeError()) : next()),
  });
  await expect(change(lost)).rejects.toMatchObject({ name: 'AuthError', status: 0, detail: 'No answer' });
  expect([paths(lost), lost.client.state().status]).toEqual([['/auth/password'], 'signed-in']);

  const silent = await openSignedIn({
    wire: (request, next) => (request.url.endsWith('/auth/password') ? new Promise(() => undefined) : next()),
  });
  const changing = expect(change(silent)).rejects.toMatchObject({ status: 0 });
  await silent.time.pass(ANSWER_MS);
  await changing;
});
