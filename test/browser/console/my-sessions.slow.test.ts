/** My sessions, for every role: sessions, known devices, and the own password. (Interface 19) */
import { PASSWORD } from '../../support/gateway/gateway.js';
import { CHOSEN } from '../../support/gateway/passwords.js';
import { login } from '../../support/gateway/routes.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import {
  ageProofs,
  confirmByPassword,
  confirmDialog,
  expectFocus,
  expectHeading,
  GOOD,
  lookAt,
  openConsole,
  startConsole,
} from './console.js';

const PATH = '/console/sessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e'.padEnd(512, 'x');

inChromium('in Chromium, My sessions of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole({ env: { KNOWN_DEVICES: 'on' } });
  });
  afterAll(() => site?.close());

  /** Sessions of other devices of the same user. */
  async function logInElsewhere(email: string, ...userAgents: string[]): Promise<void> {
    for (const userAgent of userAgents) {
      const { status } = await login(site.gateway, email, PASSWORD, { 'user-agent': userAgent });
      expect(status).toBe(200);
    }
  }

  async function liveSessions(userId: string): Promise<number> {
    const [row] = await site.gateway.rows<{ count: number }>(
      'select count(*)::int from refresh_tokens where user_id = $1 and not revoked',
      [userId],
    );
    return row?.count ?? 0;
  }

  test('Interface 19: another session is ended, this one has no button for that', async () => {
    const { page, email, id, wrong, close } = await openConsole(site, 'viewer', PATH);
    await logInElsewhere(email, FIREFOX);
    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'Firefox 143 on Linux' }).filter({ hasText: 'Live' });
    await row.waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'This session' }).getByRole('button').count()).toBe(0);
    await row.getByRole('button', { name: 'End the session of Firefox 143 on Linux' }).click();
    const dialog = page.getByRole('dialog', { name: 'End this session' });
    await dialog.getByText('There you have to log in again').waitFor();
    await dialog.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('status').getByText('The session was ended.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await liveSessions(id)).toBe(1);

    await page.getByRole('button', { name: 'Show ended sessions' }).click();
    const ended = page.getByRole('row').filter({ hasText: 'Ended by the user or an administrator' });
    await ended.getByText('Steps').click();
    await ended.getByText('Session ended').waitFor();
    expect(await ended.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Login'),
      expect.stringContaining('Session ended'),
    ]);
    expect(page.url()).toContain('sessions=ended');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: all other sessions are ended at once', async () => {
    const { page, email, id, close } = await openConsole(site, 'analyst', PATH);
    await logInElsewhere(email, FIREFOX, FIREFOX, '');
    await page.reload();
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End them' }).click();
    await page.getByRole('status').getByText('3 sessions were ended.').waitFor();
    expect(await liveSessions(id)).toBe(1);
    await close();
  });

  test('Interface 19: after two hours a destructive step asks for the password, then goes on in the same session', async () => {
    const { page, email, id, wrong, close } = await openConsole(site, 'viewer', PATH);
    const [{ family_id: before } = {}] = await site.gateway.rows(
      'select family_id from refresh_tokens where user_id = $1',
      [id],
    );
    await logInElsewhere(email, FIREFOX);
    await page.reload();
    await ageProofs(site, id);
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    const dialog = page.getByRole('dialog', { name: 'End all other sessions' });
    await dialog.getByRole('button', { name: 'End them' }).click();
    await confirmByPassword(page, 'wrong');
    await page.getByRole('alert').getByText('This password is wrong.').waitFor();
    await expectFocus(page, 'e.name', 'password');
    await page.keyboard.press('Escape');
    await dialog.getByRole('alert').getByText('Nothing was changed.').waitFor();
    await expectFocus(page, 'e.textContent', 'End them');
    expect(await liveSessions(id)).toBe(2);

    await page.keyboard.press('Enter');
    await confirmByPassword(page);
    await page.getByRole('status').getByText('1 session was ended.').waitFor();
    const left = await site.gateway.rows('select family_id from refresh_tokens where user_id = $1 and not revoked', [
      id,
    ]);
    expect(left).toEqual([{ family_id: before }]);

    await page.getByRole('button', { name: 'Forget' }).first().click();
    await page.getByRole('button', { name: 'Forget device' }).waitFor();
    await page.getByRole('button', { name: 'Forget device' }).click();
    await page.getByRole('status').getByText('The device was forgotten.').waitFor();
    expect(await confirmDialog(page).count()).toBe(0); // the proof is fresh
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a dialog is cancelled by Escape, and the focus goes back to its button', async () => {
    const { page, email, id, close } = await openConsole(site, 'viewer', PATH);
    await logInElsewhere(email, FIREFOX);
    await page.reload();
    const button = page.getByRole('button', { name: 'End all other sessions' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expectFocus(page, 'e.textContent', 'End all other sessions');
    expect(await liveSessions(id)).toBe(2);
    await close();
  });

  test('Interface 19: a known device is forgotten', async () => {
    const { page, id, wrong, close } = await openConsole(site, 'viewer', PATH);
    const table = page.getByRole('table', { name: 'Known devices' });
    await table.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'Forget device' }).click();
    await page.getByText('No device is known.').waitFor();
    expect(await site.gateway.rows('select from known_devices where user_id = $1', [id])).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the own password is changed; a wrong one, and one that is refused, are said at their fields', async () => {
    const { page, email, id, wrong, close } = await openConsole(site, 'viewer', PATH);
    await logInElsewhere(email, FIREFOX);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`); // somebody comes back to the tab
    const other = page.getByRole('button', { name: 'End the session of Firefox 143 on Linux' });
    await other.waitFor();
    const change = async (current: string, next: string): Promise<void> => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password').fill(next);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await change(PASSWORD, 'short');
    await page.getByRole('alert').getByText('at least 15 characters').waitFor();
    await expectFocus(page, 'e.name', 'new');
    await change(PASSWORD, 'passwordpassword');
    await page.getByRole('alert').getByText('commonly used').waitFor();
    await change('wrong', CHOSEN);
    await page.getByRole('alert').getByText('Current password is wrong').waitFor();
    await expectFocus(page, 'e.name', 'current');
    await change(PASSWORD, CHOSEN);
    await page.getByRole('status').getByText('Your other session was ended.').waitFor();
    await other.waitFor({ state: 'detached' }); // read again
    expect((await login(site.gateway, email, CHOSEN)).status).toBe(200);
    await page.reload();
    await expectHeading(page, 'My sessions');
    expect(await liveSessions(id)).toBe(2);
    expect(wrong).toEqual([]);
    await close();
  });

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide, with hostile User-Agents: axe finds nothing',
    async (scheme, width) => {
      const { page, email, wrong, close } = await openConsole(site, 'viewer', PATH, { scheme, width });
      await logInElsewhere(email, 'hostile', FIREFOX);
      for (const table of ['refresh_tokens', 'known_devices']) {
        await site.gateway.rows(`update ${table} set user_agent = $1 where user_agent = 'hostile'`, [HOSTILE]);
      }
      await page.reload();
      await page.getByRole('button', { name: 'End all other sessions' }).waitFor();
      await page.getByRole('table', { name: 'Known devices' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await page.getByRole('button', { name: 'End all other sessions' }).click();
      await page.getByRole('button', { name: 'End them' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );
});
