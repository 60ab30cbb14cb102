/** The client's entry `factors`: what users do with their own. (Interface 13 and 20) */
import { createAuthClient } from '../../client/src/browser.js';
import {
  activateTotp,
  addPasskey,
  enrolTotp,
  passkeyOptions,
  remove,
  renewRecoveryCodes,
} from '../../client/src/factors.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type PageSetup } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { codeAt, wrongCode } from '../support/gateway/factors.js';
import { claimsOf, PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { SoftwareAuthenticator } from '../support/independent/passkeys/software-authenticator.js';
import { until } from '../support/until.js';

const CODES = Array(10).fill(expect.any(String));

let gateway: TestGateway;
let browser: Browser;
let email: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock(), env: { LOGIN_RATE_LIMIT: '100000' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  browser = startBrowser(gateway.config.publicUrl);
  ({ email } = await gateway.user());
});
afterEach(() => browser.close());

async function openSignedIn(setup: Partial<PageSetup> = {}): Promise<Page> {
  const page = openPage(browser, { url: gateway.url, ...setup });
  await page.client.login({ email, password: PASSWORD });
  page.asked.length = 0;
  return page;
}

const paths = ({ asked }: Page): string[] => asked.map(({ path }) => path);
const acrOf = async ({ client }: Page): Promise<unknown> => claimsOf((await client.getAccessToken()) ?? '')['acr'];

async function makePasskey({ client }: Page, name: string) {
  const { publicUrl } = gateway.config;
  const authenticator = new SoftwareAuthenticator({ rpId: new URL(publicUrl).hostname, origin: publicUrl });
  const { ceremony, publicKey } = await passkeyOptions(client);
  const credential = authenticator.create(publicKey as Parameters<typeof authenticator.create>[0]);
  return addPasskey(client, { ceremony, credential, name });
}

test('Interface 20: an authenticator app is added, and the next request has a token at aal2, after one refresh', async () => {
  const page = await openSignedIn();
  expect(await acrOf(page)).toBe('aal1');
  const { id, secret, uri } = await enrolTotp(page.client);
  expect(uri).toMatch(/^otpauth:\/\/totp\//);
  const now = gateway.clock.now();
  await expect(activateTotp(page.client, id, wrongCode(secret, now))).rejects.toMatchObject({
    ...{ name: 'AuthError', status: 403, reason: 'factor_wrong' },
  });
  expect(await activateTotp(page.client, id, codeAt(secret, now))).toEqual({ recoveryCodes: CODES });
  expect(await acrOf(page)).toBe('aal2');
  expect(page.client.state().status).toBe('signed-in');
  const totp = '/auth/factors/totp';
  expect(paths(page)).toEqual([totp, `${totp}/${id}`, `${totp}/${id}`, '/auth/refresh']);
  await expect(enrolTotp(page.client)).rejects.toMatchObject({ status: 409, reason: 'totp_exists' });
});

test('Interface 20: the codes of a new factor are not lost if the token cannot be renewed then', async () => {
  let isOnline = true;
  const page = await openSignedIn({
    wire: (request, next) =>
      isOnline || !request.url.endsWith('/refresh') ? next() : Promise.reject(new TypeError('Failed to fetch')),
  });
  const { id, secret } = await enrolTotp(page.client);
  isOnline = false;
  expect(await activateTotp(page.client, id, codeAt(secret, gateway.clock.now()))).toEqual({ recoveryCodes: CODES });
  await until('a refresh has failed', () => page.events.at(-1)?.event === 'offline');
  isOnline = true;
  const acr = acrOf(page);
  await page.time.pass(2_000);
  expect(await acr).toBe('aal2');
});

test('Interface 20: after a lost answer to a new factor the token is renewed too', async () => {
  const page = await openSignedIn({
    wire: async (request, next) => {
      const answer = await next();
      if (/\/factors\/totp\/.+/.test(request.url)) throw new TypeError('Failed to fetch');
      return answer;
    },
  });
  const { id, secret } = await enrolTotp(page.client);
  const lost = activateTotp(page.client, id, codeAt(secret, gateway.clock.now()));
  await expect(lost).rejects.toMatchObject({ kind: 'offline', status: 0 });
  expect(await acrOf(page)).toBe('aal2');
});

test('Interface 20: recovery codes are made anew, and the old ones end', async () => {
  const page = await openSignedIn();
  const { id, secret } = await enrolTotp(page.client);
  const old = await activateTotp(page.client, id, codeAt(secret, gateway.clock.now()));
  const renewed = await renewRecoveryCodes(page.client);
  expect(renewed).toEqual({ recoveryCodes: CODES });
  await page.client.logout();
  await page.client.login({ email, password: PASSWORD });
  const [[before = ''], [after = '']] = [old.recoveryCodes, renewed.recoveryCodes];
  await expect(page.client.secondFactor({ recoveryCode: before })).rejects.toMatchObject({ status: 401 });
  await page.client.secondFactor({ recoveryCode: after });
});

test('Interface 20: passkeys are added by their JSON, and factors removed until a login wants none', async () => {
  const page = await openSignedIn();
  const laptop = await makePasskey(page, 'Laptop');
  expect(laptop).toEqual({ id: expect.any(String), recoveryCodes: CODES });
  expect(await acrOf(page)).toBe('aal2');
  const phone = await makePasskey(page, 'Phone');
  expect(phone.recoveryCodes).toEqual([]); // there are some
  expect(await remove(page.client, phone.id)).toBeUndefined();
  await expect(remove(page.client, phone.id)).rejects.toMatchObject({
    ...{ kind: 'refused', status: 404, reason: 'factor_unknown' },
  });
  await remove(page.client, laptop.id);
  await page.client.logout();
  expect(await page.client.login({ email, password: PASSWORD })).toMatchObject({ role: 'viewer' });
});

test('Interface 20: a ceremony is good once', async () => {
  const page = await openSignedIn();
  const { publicUrl } = gateway.config;
  const authenticator = new SoftwareAuthenticator({ rpId: new URL(publicUrl).hostname, origin: publicUrl });
  const { ceremony, publicKey } = await passkeyOptions(page.client);
  const credential = authenticator.create(publicKey as Parameters<typeof authenticator.create>[0]);
  await addPasskey(page.client, { ceremony, credential, name: 'Laptop' });
  await expect(addPasskey(page.client, { ceremony, credential, name: 'Laptop' })).rejects.toMatchObject({
    ...{ status: 401, reason: 'challenge_invalid' },
  });
});

test('Interface 20: the page of a portal is no removal', async () => {
  const page = await openSignedIn({
    wire: async (request, next) =>
      request.method === 'DELETE'
        ? new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
        : next(),
  });
  await expect(remove(page.client, 'any')).rejects.toMatchObject({ kind: 'unexpected', status: 200 });
});

test('Interface 20: nobody who is logged out has factors, and a server without a page has no gateway', async () => {
  const page = openPage(browser, { url: gateway.url });
  await expect(enrolTotp(page.client)).rejects.toMatchObject({ status: 401, reason: 'missing_credentials' });
  await expect(enrolTotp(createAuthClient({ url: '/' }))).rejects.toThrow(TypeError);
});
