/** Logging in with a code, a recovery code and a passkey. (Interface 19 and 20) */
import type { Page } from 'playwright-core';
import { codeAt, type WithTotp, withTotp, wrongCode } from '../../support/gateway/factors.js';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { signIn } from '../../support/gateway/graphql.js';
import { until } from '../../support/until.js';
import { makePasskey, plugIn } from '../authenticator.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, GOOD, logIn, lookAt, openAlone, startConsole } from './console.js';

const PATH = '/console/sessions';

/** The first step. */
async function passwordStep(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

/** As if nobody chose what the e-mail field offers: a virtual authenticator does so at once. */
async function ignoreOffers(page: Page): Promise<void> {
  const script = `{
    const get = navigator.credentials.get.bind(navigator.credentials);
    navigator.credentials.get = (options) => options.mediation === 'conditional'
      ? new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(options.signal.reason)))
      : get(options);
  }`;
  await page.addInitScript(script);
  await page.evaluate(script);
}

inChromium('in Chromium, a login with a second factor', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  const codeOf = ({ secret }: WithTotp): string => codeAt(secret, site.gateway.clock.now());
  /** `123 456`, as apps show it */
  const spaced = (code: string): string => `${code.slice(0, 3)} ${code.slice(3)}`;

  test('Interface 20: the code is asked for in the same place; a wrong one is said at its field, and one with a space is right', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, wrong, close } = await openAlone(site, PATH);
    await passwordStep(page, person.user.email);
    const code = page.getByLabel('Code');
    await code.waitFor();
    await expectFocus(page, 'e.labels[0].textContent', 'Code');
    expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
    expect(await code.getAttribute('inputmode')).toBe('numeric');
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);

    await page.keyboard.type('12345');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('A code has six digits. Nothing was sent.').waitFor();
    await expectFocus(page, 'e.value', '12345');
    await code.fill('');
    await page.keyboard.type(wrongCode(person.secret, site.gateway.clock.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This code is wrong').waitFor();
    await expectFocus(page, 'e.labels[0]?.textContent', 'Code');
    expect(await code.inputValue()).toBe('');
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(spaced(codeOf(person)))})`);
    await page.keyboard.press('Control+V');
    await page.keyboard.press('Enter');
    await expectHeading(page, 'My sessions');
    const failures = await site.gateway.rows(
      `select from audit_events where user_id = $1 and event_type = 'login_failure'`,
      [person.user.id],
    );
    expect(failures.length).toBe(1);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a recovery code is entered in its own field, which a link shows; by keyboard alone', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, wrong, close } = await openAlone(site, PATH);
    await passwordStep(page, person.user.email);
    await expectFocus(page, 'e.labels?.[0]?.textContent', 'Code');
    await page.keyboard.press('Tab'); // Log in
    await page.keyboard.press('Tab');
    await expectFocus(page, 'e.textContent', 'Use a recovery code');
    await page.keyboard.press('Enter');
    await expectFocus(page, 'e.labels?.[0]?.textContent', 'Recovery code');
    await page.keyboard.type('not one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This recovery code is wrong').waitFor();
    await page.keyboard.type(person.recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await expectHeading(page, 'My sessions');
    await page.getByRole('button', { name: 'Remove Authenticator app' }).waitFor();
    const advice = page.getByText('You logged in with a recovery code.');
    await advice.getByRole('link', { name: 'Second factors' }).press('Enter');
    await expectFocus(page, 'e.id', 'second-factors');
    await page.getByRole('button', { name: 'Remove Authenticator app' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('You have none.').waitFor(); // without another proof
    await advice.waitFor();
    await page.getByRole('button', { name: 'Add an authenticator app' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    const secret = (await dialog.locator('pre').innerText()).replaceAll(' ', '');
    await dialog.getByLabel('Code').fill(codeAt(secret, site.gateway.clock.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have saved them' }).press('Enter');
    await advice.waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: Back leads to the password, and an expired login too, with a sentence; the e-mail stays', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, wrong, close } = await openAlone(site, PATH);
    await passwordStep(page, person.user.email);
    await page.getByRole('button', { name: 'Back' }).click();
    await expectFocus(page, 'e.id', 'password');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(person.user.email);
    expect(await page.getByRole('alert').count()).toBe(0);

    await passwordStep(page, person.user.email);
    await page.getByLabel('Code').fill(codeOf(person));
    await site.gateway.rows('delete from ceremonies where user_id = $1', [person.user.id]);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('took too long').waitFor();
    await expectFocus(page, 'e.id', 'password');
    await passwordStep(page, person.user.email);
    await page.getByLabel('Code').fill(codeOf(person));
    await page.getByRole('button', { name: 'Log in' }).click();
    await expectHeading(page, 'My sessions');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a locked account is said at the field', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, close } = await openAlone(site, PATH);
    await passwordStep(page, person.user.email);
    await page.getByLabel('Code').waitFor();
    await site.gateway.rows(`update users set locked_until = now() + interval '10 minutes' where id = $1`, [
      person.user.id,
    ]);
    await page.getByLabel('Code').fill(codeOf(person));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('too many failed attempts, until ').waitFor();
    await expectFocus(page, 'e.labels?.[0]?.textContent', 'Code');
    await close();
  });

  test('Interface 20: a passkey is used after the password, and in its place; then the e-mail field offers it', async () => {
    const { email, ...user } = await site.gateway.user({ role: 'viewer' });
    const person = await signIn(site.gateway, { email, ...user });
    const { page, wrong, close } = await openAlone(site, PATH);
    const options: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/login/passkey/options')) options.push(request.postData() ?? '');
    });
    const authenticator = await plugIn(page);
    await makePasskey(site.gateway, page, person.accessToken);
    expect(await page.getByLabel('E-mail').getAttribute('autocomplete')).toBe('username');
    expect(options).toEqual([]); // none was used here

    await passwordStep(page, email);
    await expectFocus(page, 'e.textContent', 'Use a passkey');
    expect(await page.getByLabel('Code').count()).toBe(0);
    await authenticator.setVerified(false);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No passkey was used').waitFor();
    await expectFocus(page, 'e.textContent', 'Use a passkey');
    await authenticator.setVerified(true);
    await page.keyboard.press('Enter');
    await expectHeading(page, 'My sessions');

    await ignoreOffers(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectHeading(page, 'Log in');
    expect(await page.getByLabel('E-mail').getAttribute('autocomplete')).toBe('username webauthn');
    await page.getByLabel('E-mail').press('Shift'); // somebody is there
    await until('one is offered', () => options.filter((body) => body === '{}').length === 1);
    await page.getByRole('link', { name: 'Log in with a passkey' }).press('Enter');
    await expectHeading(page, 'My sessions');

    const json = { detail: 'Too many login attempts, try again later', reason: 'rate_limited' };
    await page.route('**/login/passkey/options', (route) => {
      options.push('refused');
      return route.fulfill({ status: 429, json, headers: { 'retry-after': '900' } });
    });
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectHeading(page, 'Log in');
    await page.getByLabel('E-mail').press('Shift');
    await until('the offer is refused', () => options.at(-1) === 'refused');
    await page.getByLabel('E-mail').fill(email);
    await page.keyboard.press('End');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(options.filter((body) => body === 'refused').length).toBe(1);
    await page.getByRole('link', { name: 'Log in with a passkey' }).press('Enter');
    const said = 'Too many login attempts. Try again in 15 minutes.';
    await page.getByRole('alert').getByText(said, { exact: true }).waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a login form that is shown asks for nothing, and a login by a passkey costs two requests', async () => {
    const person = await signIn(site.gateway, await site.gateway.user({ role: 'viewer' }));
    const { page, wrong, close } = await openAlone(site, PATH);
    const authenticator = await plugIn(page);
    await makePasskey(site.gateway, page, person.accessToken);
    await page.getByRole('link', { name: 'Log in with a passkey' }).click();
    await expectHeading(page, 'My sessions');
    await page.getByRole('button', { name: 'Log out' }).click();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/auth/login')) asked.push(pathname);
    });
    await ignoreOffers(page);
    const acts: Array<() => Promise<void>> = [
      () => page.keyboard.press('Tab'), // from the heading
      () => page.getByLabel('Password').click(),
    ];
    for (const act of acts) {
      for (let shown = 0; shown < 3; shown += 1) {
        await page.reload();
        await expectHeading(page, 'Log in');
        await page.getByLabel('E-mail').focus(); // by a script
        await page.getByRole('heading').focus();
      }
      expect(asked).toEqual([]);
      await act();
      await until('it is offered', () => asked.length === 1);
      await page.keyboard.type('ada');
      await page.getByRole('link', { name: 'Log in with a passkey' }).press('Enter');
      await expectHeading(page, 'My sessions');
      expect(asked.splice(0)).toEqual(['/auth/login/passkey/options', '/auth/login/passkey']);
      await page.getByRole('button', { name: 'Log out' }).click();
    }

    for (const verified of [false, false, true]) {
      await authenticator.setVerified(verified);
      await page.getByRole('link', { name: 'Log in with a passkey' }).press('Enter');
      if (!verified) await page.getByRole('alert').getByText('No passkey was used').waitFor();
    }
    await expectHeading(page, 'My sessions');
    expect(asked).toEqual(['/auth/login/passkey/options', '/auth/login/passkey']);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a passkey that the gateway does not know is said at the form, which stays usable', async () => {
    const person = await signIn(site.gateway, await site.gateway.user({ role: 'viewer' }));
    const { page, wrong, close } = await openAlone(site, PATH);
    await plugIn(page);
    await makePasskey(site.gateway, page, person.accessToken);
    await site.gateway.rows('delete from factors where user_id = $1', [person.user.id]);
    await site.gateway.rows('update users set has_factors = false where id = $1', [person.user.id]);
    await page.getByRole('link', { name: 'Log in with a passkey' }).click();
    await page.getByRole('alert').getByText('This passkey is not known here.').waitFor();
    await logIn(page, person.user.email);
    await expectHeading(page, 'My sessions');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a browser without WebAuthn shows nothing of passkeys', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, close } = await openAlone(site, '/console/nothing');
    await page.addInitScript('delete globalThis.PublicKeyCredential;');
    await page.goto(`${site.edge.url}/console/sessions`);
    await passwordStep(page, person.user.email);
    await page.getByLabel('Code').waitFor();
    expect(await page.getByText('passkey').count()).toBe(0);
    await close();
  });

  test('Interface 19: who has no factor loads no code for factors at the login', async () => {
    const { page, close } = await openAlone(site, PATH);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await logIn(page, (await site.gateway.user({ role: 'viewer' })).email);
    await expectHeading(page, 'My sessions');
    expect(loaded.filter((path) => /second-step|passkeys|confirm|totp|login\/passkey/.test(path))).toEqual([]);
    await close();
  });

  test.each(LOOKS)('Interface 19: %s, %i pixels wide: axe finds nothing in the second step', async (scheme, width) => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, wrong, close } = await openAlone(site, PATH, { scheme, width });
    await plugIn(page);
    await makePasskey(site.gateway, page, person.accessToken);
    await passwordStep(page, person.user.email);
    await page.getByLabel('Code').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByLabel('Code').fill(wrongCode(person.secret, site.gateway.clock.now()));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This code is wrong').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });
});
