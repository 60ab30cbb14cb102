/** The sections of the account page, by keyboard, and what they say if something is wrong. (Interface 21) */
import { PASSWORD } from '../../support/gateway/gateway.js';
import { whileAway } from '../../support/postgres/faults.js';
import { until } from '../../support/until.js';
import { ageProofs, confirmByPassword, confirmDialog, expectFocus, logIn, openAlone } from '../console/console.js';
import { inChromium, type Site } from '../site.js';
import { FIREFOX, logInElsewhere, openAccount, startAccount, whole } from './account.js';

inChromium('in Chromium, the account page', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startAccount({ env: { APP_URL: 'https://app.example.com/start' } });
  });
  afterAll(() => site?.close());

  const liveSessions = async (userId: string): Promise<number> =>
    (await site.gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [userId])).length;

  test('Interface 21: it says whose it is, before the login and after; its tokens are stored nowhere', async () => {
    const { email } = await site.gateway.user();
    const { page, wrong, close } = await openAlone(site, '/account');
    const { host } = new URL(site.edge.url);
    await page.getByText(host, { exact: true }).waitFor();
    await logIn(page, email);
    await page.getByRole('heading', { level: 1, name: `Your account at ${host}` }).waitFor();
    await page.getByRole('link', { name: 'Back to app.example.com' }).waitFor();
    expect(await page.title()).toContain(host);
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(stored).not.toMatch(/eyJ/);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test.each(['email', 'password', 'factors', 'sessions', 'data', 'delete'])(
    'Interface 21: #%s survives a reload: its section is in view and has the focus',
    async (anchor) => {
      const { page, wrong, close } = await openAccount(site, `/account#${anchor}`);
      for (let i = 0; i < 2; i += 1) {
        await expectFocus(page, `e.closest('main > div > [id]')?.id`, anchor);
        const top = await page.evaluate<number>(`document.getElementById('${anchor}').getBoundingClientRect().top`);
        expect(top).toBeGreaterThanOrEqual(-1);
        expect(top).toBeLessThan(800);
        expect(page.url()).toBe(`${site.edge.url}/account#${anchor}`);
        await page.reload();
        await whole(page);
      }
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test('Interface 21: by keyboard, a stale session is confirmed, and what was begun goes on', async () => {
    const { page, id, wrong, close } = await openAccount(site);
    await ageProofs(site, id);
    await page.getByLabel('New e-mail').focus();
    await page.keyboard.type('stale@example.net');
    await page.keyboard.press('Enter');
    await confirmDialog(page).waitFor();
    await expectFocus(page, 'e.name', 'password');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This password is wrong.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('Nothing was changed.').waitFor();
    expect(await site.gateway.rows('select from email_changes where user_id = $1', [id])).toEqual([]);
    await page.keyboard.press('Enter');
    await confirmByPassword(page);
    await page.getByText('If no other account uses stale@example.net').waitFor();

    await ageProofs(site, id);
    await page.getByRole('button', { name: 'Download my data' }).focus();
    const downloads = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    await confirmByPassword(page);
    expect((await downloads).suggestedFilename()).toBe('account.json');

    await ageProofs(site, id);
    await page.getByRole('button', { name: 'Delete my account' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('somebody@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This is not your e-mail.').waitFor();
    await expectFocus(page, 'e.name', 'typed');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'e.textContent', 'Delete my account');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: every control is reached with the Tab key, in the order of the page', async () => {
    const { page, close } = await openAccount(site);
    await page.locator('.skip').focus();
    const reached: string[] = ['Skip to the sections'];
    for (let i = 0; i < 40; i += 1) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(`(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()`),
      );
      if (reached.at(-1) === 'Delete my account') break;
    }
    const wanted = [
      ...['Skip to the sections', 'Theme', 'Log out', 'Back to app.example.com', 'Sessions', 'New e-mail'],
      ...['Change e-mail'],
      ...['Current password', 'New password', 'Change password', 'Add an authenticator app', 'Add a passkey'],
      ...['Download my data', 'Delete my account'],
    ];
    expect(reached.filter((name) => wanted.includes(name))).toEqual(wanted);
    await close();
  });

  test('Interface 21: a session and all others are ended; twenty are folded, with this one first', async () => {
    const { page, id, email, wrong, close } = await openAccount(site);
    expect(await page.getByRole('button', { name: /^End/ }).count()).toBe(0);
    await logInElsewhere(site, email, FIREFOX, ...Array.from({ length: 18 }, (_, i) => `program ${i}`));
    await page.reload();
    await whole(page);
    const table = page.getByRole('table', { name: 'Where you are logged in' });
    expect(await table.getByRole('row').count()).toBe(6);
    await table.getByRole('row').nth(1).getByText('This one').waitFor();
    await page.getByRole('button', { name: 'Show all 20' }).first().click();
    await table.getByRole('button', { name: 'End the session of Firefox 143 on Linux' }).click();
    await page.getByRole('dialog').getByText('There you have to log in again.').waitFor();
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('status').getByText('The session was ended.').waitFor();
    expect(await liveSessions(id)).toBe(19);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('button', { name: 'End them' }).click();
    await page.getByRole('status').getByText('18 sessions were ended.').waitFor();
    expect(await liveSessions(id)).toBe(1);
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: sessions are read again when somebody comes back to the tab; what was said ends with the session', async () => {
    const { page, email, wrong, close } = await openAccount(site);
    await logInElsewhere(site, email, FIREFOX, 'program');
    await site.gateway.rows(`update refresh_tokens set ip_address = '192.168.7.8' where user_agent = 'program'`);
    expect(await page.getByRole('button', { name: /^End/ }).count()).toBe(0);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('row').filter({ hasText: 'program' }).getByText('local network address 192.168.7.8').waitFor();
    await page.getByRole('row').filter({ hasText: 'This one' }).getByText('this machine').waitFor();
    await page.getByRole('button', { name: 'End the session of Firefox 143 on Linux' }).click();
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('status').getByText('The session was ended.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn(page, email);
    await whole(page);
    expect(await page.getByText('The session was ended.').count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 21: what was done is said where it covers no heading, until a dialog opens', async () => {
    const { page, close } = await openAccount(site, '/account', { width: 360 });
    await page.getByLabel('New e-mail').fill('toast@example.net');
    await page.keyboard.press('Enter');
    const said = page.getByRole('status').getByText('If the address is free, a message is on its way.');
    await said.waitFor();
    await page.getByText('If no other account uses toast@example.net').waitFor();
    const isOver = `(() => {
      const box = document.querySelector('.announcements').getBoundingClientRect();
      return box.height === 0 || [...document.querySelectorAll('h1, h2')].some((heading) => {
        const { top, bottom, width } = heading.getBoundingClientRect();
        return width > 1 && bottom > box.top && top < box.bottom;
      });
    })()`;
    await until('it has its place', async () => !(await page.evaluate(isOver)));
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('dialog').waitFor();
    await page.locator('.announcements p').waitFor({ state: 'detached' });
    await close();
  });

  test('Interface 21: the last administrator cannot leave, and reads why', async () => {
    const { email, id } = await site.gateway.user({ role: 'admin' });
    await site.gateway.rows(`update users set is_active = false where role = 'admin' and id <> $1`, [id]);
    const { page, close } = await openAlone(site, '/account', { email });
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('dialog').getByLabel('Your e-mail').fill(email.toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('You are the last administrator. Make somebody else one first.').waitFor();
    expect(await site.gateway.rows('select from users where id = $1', [id])).toHaveLength(1);
    await close();
  });

  test('Interface 21: while the database is away the page says so and tries again', async () => {
    const { page, close } = await openAccount(site);
    await whileAway(site.gateway.database, async () => {
      await page.getByLabel('New e-mail').fill('away@example.net');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor();
    });
    await page.keyboard.press('Enter');
    await page.getByText('If no other account uses away@example.net').waitFor();
    await close();
  });

  test('Interface 21: without mail nothing of an e-mail is there; without KNOWN_DEVICES nothing of devices', async () => {
    const bare = await startAccount({ env: { MAIL: 'off', KNOWN_DEVICES: 'off' } });
    const { page, wrong, close } = await openAccount(bare);
    const navigation = page.getByRole('navigation').getByRole('link');
    expect(await navigation.allInnerTexts()).toEqual(['Password', 'Second factors', 'Sessions', 'Your data', 'Delete']);
    expect(await page.getByLabel('New e-mail').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Known devices' }).count()).toBe(0);
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill(`${PASSWORD} and more`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Current password is wrong').waitFor();
    expect(wrong).toEqual([]);
    await close();
    await bare.close();
  });
});
