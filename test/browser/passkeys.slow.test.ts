/**
 * The client's entry `passkeys` in Chromium, with a virtual authenticator and a real gateway. (Interface 13 and 20;
 * WebAuthn Level 3)
 */
import type { Page } from 'playwright-core';
import { testedBlock } from '../documents/printed.js';
import { codeAt } from '../support/gateway/factors.js';
import { claimsOf, PASSWORD } from '../support/gateway/gateway.js';
import { tokenOf } from './asked.js';
import { type Authenticator, plugIn } from './authenticator.js';
import { bundle, servePage } from './bundle.js';
import { inChromium, type Site, startSite } from './site.js';

const TEN_MINUTES = 600;

let site: Site;

interface Owner {
  page: Page;
  authenticator: Authenticator;
  email: string;
  id: string;
}

/** Somebody who has logged in by a password, on a device with an authenticator. */
async function openSignedIn(search = ''): Promise<Owner> {
  const { email, id } = await site.gateway.user();
  const profile = await site.profile();
  const page = await profile.newPage();
  await page.goto(`${site.edge.url}/passkeys${search}`);
  const authenticator = await plugIn(page);
  await logIn(page, email);
  return { page, authenticator, email, id };
}

/** The same, who has made a passkey. */
async function openWithPasskey(search?: string): Promise<Owner> {
  const owner = await openSignedIn(search);
  await owner.page.evaluate(`passkeys.addPasskey(auth, 'Laptop')`);
  return owner;
}

const logIn = (page: Page, email: string) =>
  page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
const statusOf = (page: Page) => page.evaluate<string>('auth.state().status');
const claims = async (page: Page) => claimsOf((await tokenOf(page)) ?? '');

/** @returns what the promise of this code was rejected with: its name, and `reason` of the gateway */
const failureOf = (page: Page, code: string) =>
  page.evaluate(`(${code}).then(() => 'fulfilled', ({ name, reason }) => [name, reason].filter(Boolean).join(' '))`);

/** Calls the function and lets it wait. @returns what it will have been rejected with */
async function begin(page: Page, code: string): Promise<() => Promise<unknown>> {
  await page.evaluate(`void (globalThis.begun = (${code}).then(() => 'fulfilled', ({ name }) => name))`);
  return () => page.evaluate('begun');
}

inChromium('in Chromium', () => {
  beforeAll(async () => {
    site = await startSite({ env: { LOGIN_RATE_LIMIT: '100000' } });
    await servePage(site.edge, '/passkeys', 'passkeys.js');
  });
  afterAll(() => site?.close());

  test.each([
    ['with its own JSON', ''],
    ['without JSON for WebAuthn', '?by-hand'],
  ])('Interface 20: a browser %s makes a passkey, logs in by it, and confirms', async (_, search) => {
    const { page, authenticator, email, id } = await openSignedIn(search);
    expect((await claims(page))['acr']).toBe('aal1');
    const added = await page.evaluate(`passkeys.addPasskey(auth, 'Laptop')`);
    expect(added).toEqual({ id: expect.any(String), recoveryCodes: Array(10).fill(expect.any(String)) });
    expect([await authenticator.count(), (await claims(page))['acr']]).toEqual([1, 'aal2']);
    expect(await failureOf(page, `passkeys.addPasskey(auth, 'Again')`)).toBe('InvalidStateError');

    await page.evaluate('auth.logout()');
    expect(await page.evaluate('passkeys.logInWithPasskey(auth)')).toMatchObject({ sub: id });
    expect(await claims(page)).toMatchObject({ sub: id, acr: 'aal2' });

    await page.evaluate('auth.logout()');
    await logIn(page, email);
    expect(await page.evaluate('auth.state()')).toMatchObject({
      ...{ status: 'second-factor', factors: ['passkey', 'recovery_code'] },
    });
    expect(await page.evaluate('passkeys.secondFactorByPasskey(auth)')).toMatchObject({ sub: id });
    expect(await statusOf(page)).toBe('signed-in');

    const { auth_time: before, sid } = await claims(page);
    site.gateway.clock.advance(TEN_MINUTES);
    expect(await failureOf(page, `passkeys.addPasskey(auth, 'Late')`)).toBe('AuthError confirmation_required');
    await page.evaluate('passkeys.confirmByPasskey(auth)');
    const after = await claims(page);
    expect(after['sid']).toBe(sid);
    expect(Number(after['auth_time'])).toBeGreaterThanOrEqual(Number(before) + TEN_MINUTES);
  });

  test('Interface 20: a user who is not recognised is refused by the browser, and everything stays as it was', async () => {
    const { page, authenticator, email } = await openWithPasskey();
    await page.evaluate('auth.logout()');
    await authenticator.setVerified(false);
    expect(await failureOf(page, 'passkeys.logInWithPasskey(auth)')).toBe('NotAllowedError');
    expect(await statusOf(page)).toBe('signed-out');
    await logIn(page, email);
    expect(await failureOf(page, 'passkeys.secondFactorByPasskey(auth)')).toBe('NotAllowedError');
    expect(await statusOf(page)).toBe('second-factor');
    await authenticator.setVerified(true);
    await page.evaluate('passkeys.secondFactorByPasskey(auth)');
    expect(await statusOf(page)).toBe('signed-in');
  });

  test('Interface 20: passkeys are offered in a field, and one that is chosen logs in', async () => {
    const { page, id } = await openWithPasskey();
    await page.evaluate('auth.logout()');
    expect(await page.evaluate('passkeys.isAutofillAvailable()')).toBe(true);
    expect(await page.evaluate('passkeys.logInWithPasskey(auth, { autofill: true })')).toMatchObject({ sub: id });
    expect(await statusOf(page)).toBe('signed-in');
  });

  /** Somebody who is logged out, and whom the authenticator does not notice yet. */
  async function openLoggedOut(): Promise<Owner> {
    const owner = await openWithPasskey();
    await owner.page.evaluate('auth.logout()');
    await owner.authenticator.setPresent(false);
    await owner.page.evaluate('questions = 0');
    return owner;
  }

  test('Interface 20: an offer ends by its signal', async () => {
    const { page } = await openLoggedOut();
    const outcome = await begin(
      page,
      'passkeys.logInWithPasskey(auth, { autofill: true, signal: (globalThis.stop = new AbortController()).signal })',
    );
    await page.waitForFunction('questions === 1');
    await page.evaluate('stop.abort()');
    expect(await outcome()).toBe('AbortError');
    expect(await failureOf(page, 'passkeys.logInWithPasskey(auth, { signal: stop.signal })')).toBe('AbortError');
    expect(await page.evaluate('questions')).toBe(1);
  });

  test('Interface 20: an offer makes room for a dialog', async () => {
    const { page, authenticator, id } = await openLoggedOut();
    const outcome = await begin(page, 'passkeys.logInWithPasskey(auth, { autofill: true })');
    await page.waitForFunction('questions === 1');
    await authenticator.setPresent(true);
    expect(await page.evaluate('passkeys.logInWithPasskey(auth)')).toMatchObject({ sub: id });
    expect(await outcome()).toBe('AbortError');
  });

  test('Interface 20: an offer and a dialog share one ceremony, also after a dialog that was cancelled, until it is old', async () => {
    const { page, authenticator, id } = await openLoggedOut();
    let ceremonies = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/passkey/options')) ceremonies += 1;
    });
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + TEN_MINUTES * 1_000);
    const outcome = await begin(page, 'passkeys.logInWithPasskey(auth, { autofill: true })');
    await page.waitForFunction('questions === 1'); // otherwise the authenticator may refuse the offer
    await authenticator.setVerified(false);
    await authenticator.setPresent(true);
    expect(await failureOf(page, 'passkeys.logInWithPasskey(auth)')).toBe('NotAllowedError');
    expect(await outcome()).toBe('AbortError');
    await page.clock.fastForward('03:50');
    expect(await failureOf(page, 'passkeys.logInWithPasskey(auth)')).toBe('NotAllowedError');
    expect(ceremonies).toBe(1);
    await page.clock.fastForward('00:10');
    await authenticator.setVerified(true);
    for (const used of [1, 2]) {
      expect(await page.evaluate('passkeys.logInWithPasskey(auth)')).toMatchObject({ sub: id });
      expect(ceremonies).toBe(1 + used);
      await page.evaluate('auth.logout()');
    }
  });

  test('Interface 20: an offer that has become old is made again once somebody acts, and costs nothing before', async () => {
    const { page, authenticator, id } = await openLoggedOut();
    await page.clock.install();
    await page.evaluate(`void (globalThis.user = passkeys.logInWithPasskey(auth, { autofill: true }))`);
    await page.waitForFunction('questions === 1');
    await page.mouse.click(1, 1);
    await page.clock.fastForward('05:00');
    site.gateway.clock.advance(TEN_MINUTES);
    await authenticator.setPresent(true);
    expect(await page.evaluate('questions')).toBe(1);
    await page.mouse.click(2, 2);
    expect(await page.evaluate('user')).toMatchObject({ sub: id });
    expect(await page.evaluate('questions')).toBe(2);
  });

  test('Interface 20: client/README.md adds an app and a passkey, and logs in by both', async () => {
    const imports = `import { createAuthClient } from '@auth-gateway/client/browser';
      const auth = createAuthClient({ url: '/' });`;
    const block = testedBlock('client/README.md', 'second-factors');
    const script = `${imports}${block}\nObject.assign(window, { auth, logIn, addApp, addDevice, logInByDevice });`;
    site.edge.serve('/readme.js', 'text/javascript', await bundle(script));
    const link = '<link rel="icon" href="data:,">';
    site.edge.serve('/readme', 'text/html', `<!doctype html>${link}<script type="module" src="/readme.js"></script>`);
    const { email, id } = await site.gateway.user();
    const page = await (await site.profile()).newPage();
    await plugIn(page);
    await page.exposeFunction('codeOf', (uri: string) => {
      site.gateway.clock.advance(30); // a code is good once
      return codeAt(new URL(uri).searchParams.get('secret') ?? '', site.gateway.clock.now());
    });
    await page.goto(`${site.edge.url}/readme`);
    await page.waitForFunction('globalThis.logIn');
    await page.evaluate(`logIn('${email}', '${PASSWORD}')`);
    const added = await page.evaluate('addApp((uri) => codeOf(globalThis.uri = uri))');
    expect(added).toEqual({ recoveryCodes: Array(10).fill(expect.any(String)) });
    expect(await page.evaluate('addDevice()')).toEqual({ id: expect.any(String), recoveryCodes: [] });
    for (const again of [`logIn('${email}', '${PASSWORD}', () => codeOf(uri))`, 'logInByDevice()']) {
      await page.evaluate('auth.logout()');
      expect(await page.evaluate(again)).toMatchObject({ sub: id });
    }
  });

  test('Interface 20: a login that has expired meanwhile begins anew', async () => {
    const { page, email } = await openWithPasskey();
    await page.evaluate('auth.logout()');
    await logIn(page, email);
    site.gateway.clock.advance(TEN_MINUTES);
    expect(await failureOf(page, 'passkeys.secondFactorByPasskey(auth)')).toBe('AuthError challenge_invalid');
    expect(await statusOf(page)).toBe('signed-out');
    expect(await failureOf(page, 'passkeys.secondFactorByPasskey(auth)')).toBe('AuthError challenge_invalid');
  });
});
