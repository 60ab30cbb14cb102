/** A service that wants a better or a newer proof: the page asks for it before the way back. (Interface 20 and 22) */
import { addTotp, codeAt, withTotp } from '../../support/gateway/factors.js';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { signIn } from '../../support/gateway/graphql.js';
import { makePasskey, plugIn } from '../authenticator.js';
import { ageProofs, confirmByPassword, confirmDialog, expectFocus, GOOD, lookAt } from '../console/console.js';
import { inChromium } from '../site.js';
import { FRESH, type GateSite, inside, logInBehind, newBrowser, STRONG, startGate, submitLogin } from './gate.js';

inChromium('in Chromium, a service that wants a proof', () => {
  let site: GateSite;
  beforeAll(async () => {
    site = await startGate();
  });
  afterAll(() => site?.close());

  test('Interface 22: max_age: an old session is confirmed by the password, by keyboard; cancelled, the page says what is wanted', async () => {
    const { email, id } = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await logInBehind(site, visit, email);
    await page.goto(site.service.origin);
    await inside(site, page);
    await page.goto(site.service.origin + FRESH);
    await inside(site, page, FRESH);
    await ageProofs(site, id);
    await page.goto(site.service.origin + FRESH);
    await confirmDialog(page).getByText(`To reach ${site.service.host}.`).waitFor();
    await expectFocus(page, 'e.name', 'password');
    expect(await lookAt(page)).toEqual(GOOD);
    await page.keyboard.press('Escape');
    await page.getByText('It wants a new proof by your password.').waitFor();
    await page.getByText(`To reach ${site.service.host}.`).waitFor();
    await page.getByText(email).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByRole('button', { name: 'Confirm' }).press('Enter');
    await confirmByPassword(page, 'wrong');
    await page.getByRole('alert').getByText('This password is wrong.').waitFor();
    await confirmByPassword(page);
    await inside(site, page, FRESH);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: max_age: a login has just proved it', async () => {
    const { email } = await site.gateway.user();
    const { page, wrong, close } = await newBrowser(site);
    await page.goto(site.service.origin + FRESH);
    await submitLogin(page, email);
    await inside(site, page, FRESH);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: acr=aal2: a session by the password alone is confirmed by a code', async () => {
    const user = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await logInBehind(site, visit, user.email);
    const { secret } = await addTotp(site.gateway, await signIn(site.gateway, user));
    await page.goto(site.service.origin + STRONG);
    await confirmDialog(page).getByText(`To reach ${site.service.host}.`).waitFor();
    await expectFocus(page, 'e.name', 'totp');
    expect(await lookAt(page)).toEqual(GOOD);
    await page.keyboard.type(codeAt(secret, site.gateway.clock.now()));
    await page.keyboard.press('Enter');
    await inside(site, page, STRONG);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: acr=aal2: a login with a passkey is enough; by a password and a passkey too', async () => {
    const user = await site.gateway.user();
    const visit = await newBrowser(site);
    const { page, wrong, close } = visit;
    await page.goto(site.service.origin + STRONG);
    await page.getByLabel('Password').waitFor();
    await plugIn(page);
    const { accessToken } = await signIn(site.gateway, user);
    await makePasskey(site.gateway, page, accessToken);
    await page.getByRole('link', { name: 'Log in with a passkey' }).press('Enter');
    await inside(site, page, STRONG);

    await visit.profile.clearCookies();
    await page.goto(`${site.edge.url}/gate/assets/none`);
    await page.evaluate('localStorage.clear()');
    await page.goto(site.service.origin + STRONG);
    await submitLogin(page, user.email);
    await page.getByRole('button', { name: 'Use a passkey' }).press('Enter');
    await inside(site, page, STRONG);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: acr=aal2: without a factor one reads where to add one; once it is there the page goes on by itself', async () => {
    const { email } = await site.gateway.user();
    const { profile, page, wrong, close } = await newBrowser(site);
    await page.goto(site.service.origin + STRONG);
    await submitLogin(page, email);
    await page.getByText('It lets nobody in without a second factor, and you have none.').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    const opened = profile.waitForEvent('page');
    await page.getByRole('link', { name: 'Second factors' }).press('Enter');
    const account = await opened;
    await account.getByRole('button', { name: 'Add an authenticator app' }).click();
    const dialog = account.getByRole('dialog');
    const secret = (await dialog.locator('pre').innerText()).replaceAll(' ', '');
    await dialog.getByLabel('Code').fill(codeAt(secret, site.gateway.clock.now()));
    await account.keyboard.press('Enter');
    await inside(site, page, STRONG);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 22: with ACCOUNT=off that is said in words; Log out leads to the form', async () => {
    const bare = await startGate({ env: { ACCOUNT: 'off', PRODUCT_NAME: 'Acme' } });
    const { email } = await bare.gateway.user();
    const { page, wrong, close } = await newBrowser(bare);
    await page.goto(bare.service.origin + STRONG);
    await submitLogin(page, email);
    await page.getByText('Ask the operator of Acme how to add one.').waitFor();
    expect(await page.getByRole('link').count()).toBe(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    await page.getByText(`To reach ${bare.service.host}.`).waitFor();
    await expectFocus(page, 'e.tagName', 'H1');
    expect(wrong).toEqual([]);
    await close();
    await bare.close();
  });

  test('Interface 22: acr=aal2: a password and a recovery code are enough', async () => {
    const person = await withTotp(site.gateway);
    const { page, wrong, close } = await newBrowser(site);
    await page.goto(site.service.origin + STRONG);
    await submitLogin(page, person.user.email, PASSWORD);
    await page.getByRole('button', { name: 'Use a recovery code' }).press('Enter');
    await page.getByLabel('Recovery code').fill(person.recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await inside(site, page, STRONG);
    expect(wrong).toEqual([]);
    await close();
  });
});
