/** Second factors under My sessions and on the page of a user, by keyboard. (Interface 19 and 20) */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { addTotp, codeAt, withTotp, wrongCode } from '../../support/gateway/factors.js';
import { signIn } from '../../support/gateway/graphql.js';
import { plugIn } from '../authenticator.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import {
  ageProofs,
  confirmByPassword,
  confirmDialog,
  expectFocus,
  expectHeading,
  GOOD,
  type Looks,
  lookAt,
  openAlone,
  openConsole,
  startConsole,
} from './console.js';

const PATH = '/console/sessions';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e'.padEnd(100, 'W');

inChromium('in Chromium, second factors in the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  const open = (looks: Looks = {}) => openConsole(site, 'viewer', PATH, looks);
  const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
  const codeOf = (secret: string): string => codeAt(secret, site.gateway.clock.now());
  const table = (page: Page) => page.getByRole('table', { name: 'Second factors' });

  const codesDialog = (page: Page) => page.getByRole('dialog', { name: 'Recovery codes' });
  /** The secret, which is shown in groups of four */
  const secretOf = async (dialog: Locator) => (await dialog.locator('pre').innerText()).replaceAll(' ', '');

  /** Presses a button as the keyboard does. */
  async function press(page: Page, name: string | RegExp): Promise<void> {
    await page.getByRole('button', { name }).last().focus();
    await page.keyboard.press('Enter');
  }

  /** Adds an app by its secret. @returns the secret and the recovery codes */
  async function addApp(page: Page): Promise<{ secret: string; codes: string[] }> {
    await press(page, 'Add an authenticator app');
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    const secret = await secretOf(dialog);
    await dialog.getByLabel('Code').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    const codes = (await codesDialog(page).locator('pre').innerText()).split('\n');
    await press(page, 'I have saved them');
    await codesDialog(page).waitFor({ state: 'detached' });
    site.gateway.clock.advance(30); // a code is good once
    return { secret, codes };
  }

  test('Interface 20: an app is added by its QR code or its secret; the recovery codes are copied, downloaded and printed', async () => {
    const { page, email, wrong, close } = await open();
    await page.getByText('You have none.').waitFor();
    await press(page, 'Add an authenticator app');
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    const secret = await secretOf(dialog);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await dialog.locator('pre').innerText()).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    await press(page, 'Copy secret');
    await dialog.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await dialog.getByRole('img', { name: 'QR code' }).waitFor();
    expect(await dialog.getByRole('link').getAttribute('href')).toContain(`secret=${secret}`);

    await dialog.getByLabel('Code').fill(wrongCode(secret, site.gateway.clock.now()));
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('This code is wrong').waitFor();
    await expectFocus(page, 'e.labels?.[0]?.textContent', 'Code');
    await page.keyboard.type(codeOf(secret)); // the wrong one is gone
    await page.keyboard.press('Enter');
    const shown = codesDialog(page);
    await shown.getByText('Save them now').waitFor();
    await expectFocus(page, 'e.textContent', 'Recovery codes');
    const codes = (await shown.locator('pre').innerText()).split('\n');
    expect(new Set(codes).size).toBe(10);

    await press(page, 'Copy recovery codes');
    await shown.getByText('Copied').waitFor();
    const saved = `Recovery codes of ${email} at ${new URL(site.edge.url).host}. Each works once.\n\n${codes.join('\n')}\n`;
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(saved);
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    expect(await readFile(await download.path(), 'utf8')).toBe(saved);
    await page.evaluate('globalThis.print = () => { globalThis.isPrinted = true; }');
    await press(page, 'Print');
    expect(await page.evaluate('isPrinted')).toBe(true);
    await page.emulateMedia({ media: 'print' });
    expect(
      await page.evaluate(`document.querySelector('dialog pre').checkVisibility({ visibilityProperty: true })`),
    ).toBe(true);
    expect(await page.evaluate(`document.querySelector('h1').checkVisibility({ visibilityProperty: true })`)).toBe(
      false,
    );
    await page.emulateMedia({ media: 'screen' });

    await page.keyboard.press('Escape'); // what is shown once is closed by its button alone
    await press(page, 'I have saved them');
    await shown.waitFor({ state: 'detached' });
    await expectFocus(page, 'e.textContent.trim()', 'Second factors');
    await table(page).getByText('Authenticator app').first().waitFor();
    await page.getByText('10 recovery codes are left.').waitFor();
    expect(await page.getByRole('button', { name: 'Add an authenticator app' }).count()).toBe(0);
    expect(await page.content()).not.toContain(codes[0]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a passkey is added with the name of browser and system, used, and removed after a proof by it', async () => {
    const { page, id, wrong, close } = await open();
    const authenticator = await plugIn(page);
    await press(page, 'Add a passkey');
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    expect(await dialog.getByLabel('Name').inputValue()).toMatch(/^Chrome.* on Linux$/);
    await authenticator.setVerified(false);
    await press(page, /^Add passkey$/);
    await dialog.getByRole('alert').getByText('No passkey was used').waitFor();
    await authenticator.setVerified(true);
    await press(page, /^Add passkey$/);
    await press(page, 'I have saved them');
    await codesDialog(page).waitFor({ state: 'detached' });
    expect(await authenticator.count()).toBe(1);

    await press(page, 'Add a passkey');
    await press(page, /^Add passkey$/);
    await dialog.getByRole('alert').getByText('This device has a passkey of yours already.').waitFor();
    await page.keyboard.press('Escape');

    await ageProofs(site, id);
    await press(page, /^Remove Chrome/);
    await page.getByRole('dialog').getByText('It is the last one.').waitFor();
    await page.getByRole('dialog').getByText('If your role needs a second factor').waitFor();
    await press(page, /^Remove$/);
    await confirmDialog(page).waitFor();
    expect(await confirmDialog(page).getByLabel('Code').count()).toBe(0);
    await confirmDialog(page).getByRole('button', { name: 'Use a passkey' }).press('Enter');
    await said(page, 'The second factor was removed.');
    await page.getByText('You have none.').waitFor();
    expect(await site.gateway.rows('select from factors where user_id = $1', [id])).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: adding a factor wants a proof of the last five minutes: the password, then the factor; cancelled, nothing happens', async () => {
    const { page, id, wrong, close } = await open();
    await ageProofs(site, id);
    await press(page, 'Add an authenticator app');
    await confirmDialog(page).getByLabel('Your password').waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    await confirmDialog(page).getByLabel('Your password').fill('not the password');
    await page.keyboard.press('Enter');
    await confirmDialog(page).getByRole('alert').getByText('This password is wrong.').waitFor();
    await expectFocus(page, 'e.labels?.[0]?.textContent', 'Your password');
    expect(await confirmDialog(page).getByLabel('Your password').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await confirmDialog(page).waitFor({ state: 'detached' });
    await expectFocus(page, 'e.textContent', 'Add an authenticator app');
    expect(await page.getByRole('alert').count()).toBe(0);

    await page.keyboard.press('Enter');
    await confirmByPassword(page);
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
    const secret = await secretOf(dialog);
    await dialog.getByLabel('Code').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    const before = await codesDialog(page).locator('pre').innerText();
    await press(page, 'I have saved them');
    await codesDialog(page).waitFor({ state: 'detached' });

    site.gateway.clock.advance(30);
    await ageProofs(site, id);
    await press(page, 'New recovery codes');
    await press(page, 'Make new codes');
    await confirmDialog(page).getByLabel('Code').fill(wrongCode(secret, site.gateway.clock.now()));
    await page.keyboard.press('Enter');
    await confirmDialog(page).getByRole('alert').getByText('This code is wrong').waitFor();
    await confirmDialog(page).getByLabel('Code').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await confirmDialog(page).waitFor({ state: 'detached' });
    expect(await codesDialog(page).locator('pre').innerText()).not.toBe(before);
    const failures = await site.gateway.rows(
      `select metadata->>'factor' as factor from audit_events where user_id = $1 and event_type = 'login_failure' order by id`,
      [id],
    );
    expect(failures).toEqual([{ factor: null }, { factor: 'totp' }]);
    await press(page, 'I have saved them');
    await expectFocus(page, 'e.textContent.trim()', 'Second factors');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a change of somebody with both factors is confirmed by one of them, whatever their last proof was', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, id, wrong, close } = await open();
    await plugIn(page);
    const { secret } = await addApp(page);
    await press(page, 'Add a passkey');
    await press(page, /^Add passkey$/);
    await page.getByRole('dialog').waitFor({ state: 'detached' }); // there were codes
    for (const by of ['code', 'passkey']) {
      await ageProofs(site, id);
      await press(page, 'New recovery codes');
      await press(page, 'Make new codes');
      const dialog = confirmDialog(page);
      if (by === 'passkey') await dialog.getByRole('button', { name: 'Use a passkey' }).press('Enter');
      else {
        await dialog.getByLabel('Code').fill(codeOf(secret));
        await page.keyboard.press('Enter'); // the first button is that of the code
      }
      await press(page, 'I have saved them');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const events = await site.gateway.rows(
      `select metadata->>'factor' as factor from audit_events where user_id = $1 and event_type = 'session_confirmed' order by id`,
      [id],
    );
    expect(events).toEqual([{ factor: 'totp' }, { factor: 'passkey' }]);
    expect(person.recoveryCodes.length).toBe(10);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: an administrator sees the factors of a user, and resets them', async () => {
    const person = await withTotp(site.gateway, { role: 'viewer' });
    const { page, wrong, close } = await openConsole(site, 'admin', `/console/users/${person.user.id}`);
    await table(page).getByText('Authenticator app').first().waitFor();
    await page.getByText('10 recovery codes are left.').waitFor();
    await press(page, 'Reset factors');
    await page.getByRole('dialog').getByText('Ends 1 session').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset factors' }).press('Enter');
    await said(page, 'The factors are reset. Ended 1 session.');
    await page.getByText('No second factor.').waitFor();
    expect(await page.getByRole('button', { name: 'Reset factors' }).count()).toBe(0);
    await page.getByRole('list', { name: 'Latest events' }).getByText('reset the second factors of').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 20: a role that needs a factor is led to add one, and then sees its views without a new login', async () => {
    const strict = await startConsole({ env: { SECOND_FACTOR_ROLES: 'admin' } });
    const { page, email, wrong, close } = await openConsole(strict, 'admin');
    await expectHeading(page, 'My sessions');
    await page.getByText('Your role needs a second factor before it can do anything here.').waitFor();
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(['My sessions']);
    await page.getByText('Add one under Second factors.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Second factors' }).press('Enter');
    await expectFocus(page, 'e.id', 'second-factors');
    await page.goto(`${strict.edge.url}/console/users`);
    await page.getByText('Your role needs a second factor').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'My sessions' }).press('Enter');
    await plugIn(page);
    await press(page, 'Add a passkey');
    await press(page, /^Add passkey$/);
    await press(page, 'I have saved them');
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).waitFor();
    expect(await page.getByText('Your role needs a second factor').count()).toBe(0);
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).press('Enter');
    await page.getByRole('table', { name: 'Users' }).getByRole('link', { name: email }).waitFor();
    expect(wrong).toEqual([]);
    await close();

    const user = await strict.gateway.user({ role: 'admin' });
    const another = await openAlone(strict, '/console/', { email: user.email });
    await another.page.getByText('Your role needs a second factor').waitFor();
    const { secret } = await addTotp(strict.gateway, await signIn(strict.gateway, user)); // in another session
    await another.page.reload();
    await press(another.page, 'Use my second factor');
    await confirmDialog(another.page).getByLabel('Code').fill(codeAt(secret, strict.gateway.clock.now()));
    await another.page.keyboard.press('Enter');
    await another.page.getByRole('navigation').getByRole('link', { name: 'Users' }).waitFor();
    expect(another.wrong).toEqual([]);
    await another.close();
    await strict.close();
  });

  test.each(LOOKS)(
    'Interface 20: %s, %i pixels wide, with eleven factors and hostile names: axe finds nothing',
    async (scheme, width) => {
      const { page, id, wrong, close } = await open({ scheme, width });
      await page.getByText('You have none.').waitFor();
      const look = async (): Promise<void> => expect(await lookAt(page)).toEqual(GOOD);
      await look();
      await press(page, 'Add an authenticator app');
      const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
      const secret = await secretOf(dialog);
      await look();
      await dialog.getByLabel('Code').fill(codeOf(secret));
      await page.keyboard.press('Enter');
      await codesDialog(page).getByText('Save them now').waitFor();
      await look();
      await press(page, 'I have saved them');
      for (let i = 0; i < 10; i += 1) {
        await site.gateway.rows(
          `insert into factors (id, user_id, kind, name, created_at, credential_id, user_handle, public_key, sign_count, transports, is_synced)
           values (gen_random_uuid(), $1, 'passkey', $2, now(), $3, 'x', 'x', 0, '{}', true)`,
          [id, i === 0 ? HOSTILE : `Laptop ${i}`, Buffer.from(`${id}${i}`)],
        );
      }
      await page.reload();
      await table(page).getByText('Laptop 9').first().waitFor();
      expect(await table(page).getByRole('row').count()).toBe(12);
      expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
      await look();
      await ageProofs(site, id);
      await press(page, /^Remove <img/);
      await page.getByRole('dialog').waitFor();
      await look();
      await press(page, /^Remove$/);
      await confirmDialog(page).getByLabel('Code').waitFor();
      await look();
      expect(wrong).toEqual([]);
      await close();

      const admin = await openConsole(site, 'admin', `/console/users/${id}`, { scheme, width });
      await table(admin.page).getByText('Laptop 9').waitFor();
      expect(await lookAt(admin.page)).toEqual(GOOD);
      await press(admin.page, 'Reset factors');
      await admin.page.getByRole('dialog').getByText('Removes every second factor').waitFor();
      expect(await lookAt(admin.page)).toEqual(GOOD);
      expect(admin.wrong).toEqual([]);
      await admin.close();
    },
  );
});
