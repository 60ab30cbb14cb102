/** `confirm` of the client, and what it does with a 401 that asks for a proof. (Interface 13 and 20; RFC 9470) */

import { enrolTotp, remove } from '../../client/src/factors.js';
import { COMMAND_LINE } from '../../src/admin/administer.js';
import { setUserActive } from '../../src/admin/user-changes.js';
import { testedBlock } from '../documents/printed.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { addPasskey, codeAt, withTotp, wrongCode } from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { WRONG } from '../support/gateway/routes.js';
import { hold } from '../support/held-promise.js';
import { until } from '../support/until.js';

/** Longer than a proof is fresh, and shorter than an access token lives: seconds */
const TEN_MINUTES = 600;
const HOUR_SECONDS = 3_600;

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  const env = { LOGIN_MAX_FAILURES: '5', LOGIN_RATE_LIMIT: '100000' };
  gateway = await startGateway({ clock: runningClock(), env });
});
afterAll(() => gateway.close());
beforeEach(() => {
  browser = startBrowser(gateway.config.publicUrl);
});
afterEach(() => browser.close());

const open = (setup: Partial<PageSetup> = {}): Page => openPage(browser, { url: gateway.url, ...setup });
const claims = async ({ client }: Page) => claimsOf((await client.getAccessToken()) ?? '');
const paths = ({ asked }: Page): string[] => asked.map(({ path }) => path);
const nowSeconds = (): number => Math.floor(gateway.clock.now().getTime() / 1_000);
const wanted = (needsFactor: boolean) => ({
  ...{ name: 'AuthError', kind: 'refused', status: 401, reason: 'confirmation_required', needsFactor },
});

/** Somebody without a factor, whose login is ten minutes old. */
async function openSignedIn(setup?: Partial<PageSetup>): Promise<Page & { id: string }> {
  const { email, id } = await gateway.user();
  const page = open(setup);
  await page.client.login({ email, password: PASSWORD });
  gateway.clock.advance(TEN_MINUTES);
  page.asked.length = 0;
  return { ...page, id };
}

/** Somebody with an authenticator app, whose login is ten minutes old. */
async function openWithTotp() {
  const owner = await withTotp(gateway);
  const { email } = owner.user;
  const page = open();
  await page.client.login({ email, password: PASSWORD });
  await page.client.secondFactor({ code: codeAt(owner.secret, gateway.clock.now()) });
  gateway.clock.advance(TEN_MINUTES);
  page.asked.length = 0;
  return { ...page, owner };
}

test('Interface 20: a page whose change needs a recent proof asks for it and repeats the change, as the guide shows', async () => {
  const { client } = await openSignedIn();
  gateway.clock.advance(2 * HOUR_SECONDS);
  const query = 'mutation { revokeOtherSessions { revokedCount } }';
  const change = async () => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) };
    const { data, errors } = await (await client.fetch(`${gateway.url}/graphql`, init)).json();
    if (errors !== undefined) throw errors[0];
    return data;
  };
  await expect(change()).rejects.toMatchObject({ extensions: { code: 'CONFIRMATION_REQUIRED' } });
  const AsyncFunction = Object.getPrototypeOf(change).constructor;
  const guide = new AsyncFunction(
    'change',
    'client',
    'askForPassword',
    testedBlock('docs/second-factors.md', 'confirm'),
  );
  await guide(change, client, async () => PASSWORD);
  expect(await change()).toBeDefined();
});

test('Interface 20: the password confirms the session of who has no factor, in all tabs', async () => {
  const page = await openSignedIn();
  const tab = open();
  const before = await claims(tab);
  await page.client.confirm({ password: PASSWORD });
  expect(paths(page)).toEqual(['/auth/confirm']);
  const after = await claims(page);
  expect([after['sid'], after['acr']]).toEqual([before['sid'], 'aal1']);
  expect(Number(after['auth_time'])).toBeGreaterThanOrEqual(Number(before['auth_time']) + TEN_MINUTES);
  expect(Number(after['auth_time'])).toBeGreaterThan(nowSeconds() - 60);
  await until('the other tab has the token', async () => (await claims(tab))['jti'] === after['jti']);
  expect(await enrolTotp(page.client)).toMatchObject({ secret: expect.any(String) });
});

test('Interface 20: a code and a passkey confirm that of who has one, the password alone does not', async () => {
  const { client, owner } = await openWithTotp();
  await expect(client.confirm({ password: PASSWORD })).rejects.toMatchObject({
    ...{ kind: 'refused', status: 403, reason: 'second_factor_required', needsFactor: false },
  });
  const wrong = wrongCode(owner.secret, gateway.clock.now());
  await expect(client.confirm({ code: wrong })).rejects.toMatchObject({ status: 403, reason: 'factor_wrong' });
  await client.confirm({ code: codeAt(owner.secret, gateway.clock.now()) });
  const accessToken = (await client.getAccessToken()) ?? '';
  const { authenticator } = await addPasskey(gateway, { ...owner, accessToken });

  gateway.clock.advance(TEN_MINUTES);
  await client.getAccessToken();
  const headers = { authorization: `Bearer ${await client.getAccessToken()}` };
  const { ceremony, publicKey } = (await gateway.send('POST', '/auth/confirm/options', { headers, body: {} })).json;
  await client.confirm({ ceremony, credential: authenticator.get(publicKey) });
  expect(claimsOf((await client.getAccessToken()) ?? '')['auth_time']).toBeGreaterThan(nowSeconds() - 60);
});

test('Interface 20: a wrong password is 403 and no reason to refresh, and a locked account is 429', async () => {
  const page = await openSignedIn();
  for (let i = 0; i < 5; i += 1) {
    await expect(page.client.confirm({ password: WRONG })).rejects.toMatchObject({
      ...{ status: 403, reason: 'factor_wrong' },
    });
  }
  await expect(page.client.confirm({ password: PASSWORD })).rejects.toMatchObject({
    ...{ status: 429, reason: 'account_locked', retryAfterSeconds: expect.any(Number) },
  });
  expect(paths(page)).toEqual(Array(6).fill('/auth/confirm'));
  expect(page.client.state().status).toBe('signed-in');
});

test('Interface 20: what wants a proof is a 401 that says which, and causes no refresh', async () => {
  const page = await openSignedIn();
  await expect(enrolTotp(page.client)).rejects.toMatchObject(wanted(false));
  expect(paths(page)).toEqual(['/auth/factors/totp']);
  const other = await openWithTotp();
  await expect(remove(other.client, other.owner.factorId)).rejects.toMatchObject(wanted(true));
  expect(paths(other)).toEqual([`/auth/factors/${other.owner.factorId}`]);
  for (const { client } of [page, other]) expect(client.state().status).toBe('signed-in');
});

test('Interface 20: `fetch` returns such a 401 to the page as it is', async () => {
  const page = await openSignedIn();
  const token = await page.client.getAccessToken();
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const answer = await page.client.fetch(`${gateway.url}/auth/factors/totp`, init);
  expect([answer.status, (await answer.json()).reason]).toEqual([401, 'confirmation_required']);
  expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_user_authentication"');
  expect([paths(page), await page.client.getAccessToken()]).toEqual([['/auth/factors/totp'], token]);
});

test('Interface 20: a ceremony that is over causes no refresh', async () => {
  const { client, asked } = await openWithTotp();
  const credential = { id: 'AA', rawId: 'AA', type: 'public-key', response: {}, clientExtensionResults: {} };
  await expect(client.confirm({ ceremony: 'unknown', credential })).rejects.toMatchObject({
    ...{ status: 401, reason: 'challenge_invalid' },
  });
  expect(asked.map(({ path }) => path)).toEqual(['/auth/confirm']);
  expect(client.state().status).toBe('signed-in');
});

test('Interface 20: a token that is due is renewed first, so that none from before replaces the new one', async () => {
  const held = hold();
  const page = await openSignedIn({
    wire: async (request, next) => {
      const answer = await next();
      if (request.url.endsWith('/refresh')) await held.promise;
      return answer;
    },
  });
  page.time.skip(850_000); // of 900_000
  const confirmed = page.client.confirm({ password: PASSWORD });
  await until('it has asked', () => page.refreshes() === 1);
  held.end();
  await confirmed;
  expect(paths(page)).toEqual(['/auth/refresh', '/auth/confirm']);
  expect((await claims(page))['auth_time']).toBeGreaterThan(nowSeconds() - 60);
});

test('Interface 20: a token that the gateway takes for expired is renewed, and the proof sent again once', async () => {
  const page = await openSignedIn();
  gateway.clock.advance(HOUR_SECONDS);
  await page.client.confirm({ password: PASSWORD });
  expect(paths(page)).toEqual(['/auth/confirm', '/auth/refresh', '/auth/confirm']);
  expect((await claims(page))['auth_time']).toBeGreaterThan(nowSeconds() - 60);
});

test('Interface 20: a session that is left meanwhile does not come back', async () => {
  const held = hold();
  let isConfirmed = false;
  const page = await openSignedIn({
    wire: async (request, next) => {
      const answer = await next();
      if (!request.url.endsWith('/confirm')) return answer;
      isConfirmed = answer.ok;
      await held.promise;
      return answer;
    },
  });
  const confirmed = page.client.confirm({ password: PASSWORD });
  await until('the answer is on its way', () => isConfirmed);
  await page.client.logout();
  held.end();
  await confirmed;
  expect(page.client.state()).toEqual({ status: 'signed-out' });
  expect(await page.client.getAccessToken()).toBeUndefined();
});

test('Interface 20: nobody is 401, and a deactivated user is logged out', async () => {
  const nobody = open();
  await expect(nobody.client.confirm({ password: PASSWORD })).rejects.toMatchObject({ status: 401 });
  expect(nobody.client.state()).toEqual({ status: 'signed-out' });
  const page = await openSignedIn();
  await setUserActive(gateway.app, COMMAND_LINE, page.id, false);
  await expect(page.client.confirm({ password: PASSWORD })).rejects.toMatchObject({ status: 401 });
  expect(page.client.state()).toEqual({ status: 'signed-out' });
});
