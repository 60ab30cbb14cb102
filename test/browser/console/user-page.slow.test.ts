/** The page of one user: facts, changes of the account, sessions, devices and events. (Interface 19) */
import type { Page } from 'playwright-core';
import { newDevice } from '../../support/gateway/devices.js';
import { post } from '../../support/gateway/factors.js';
import { signIn } from '../../support/gateway/graphql.js';
import { CHOSEN, redeem } from '../../support/gateway/passwords.js';
import { login } from '../../support/gateway/routes.js';
import { whileAway } from '../../support/postgres/faults.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e'.padEnd(512, 'x');

const pathOf = (id: string): string => `/console/users/${id}`;

inChromium('in Chromium, the page of a user of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole({ env: { KNOWN_DEVICES: 'on', MAIL: 'log' } });
  });
  afterAll(() => site?.close());

  async function userRow(id: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await site.gateway.rows('select * from users where id = $1', [id]);
    return row;
  }

  async function logInElsewhere(email: string, ...userAgents: string[]): Promise<void> {
    for (const userAgent of userAgents) {
      const { status } = await login(site.gateway, email, undefined, { 'user-agent': userAgent });
      expect(status).toBe(200);
    }
  }

  async function liveSessions(userId: string): Promise<number> {
    return (await site.gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [userId])).length;
  }

  /** Live sessions that nobody has logged in for, which is quicker. */
  async function storeSessions(userId: string, count: number): Promise<void> {
    await site.gateway.rows(
      `insert into refresh_tokens (jti, user_id, family_id, user_agent, ip_address, created_at, session_started_at, expires_at)
       select gen_random_uuid(), $1, gen_random_uuid(), $3, '192.0.2.' || i, now() - i * interval '1 minute',
         now() - i * interval '1 minute', now() + interval '1 day'
       from generate_series(1, $2) as i`,
      [userId, count, FIREFOX],
    );
  }

  /** Opens a dialog by the button of this name and presses the button that makes the change. */
  async function change(page: Page, button: string, action = button): Promise<void> {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  }

  /** What the page has announced */
  const said = (page: Page, text: string): Promise<void> => page.getByRole('status').getByText(text).waitFor();

  async function fact(page: Page, name: string): Promise<string> {
    return await page
      .locator('dl > div', { has: page.getByText(name, { exact: true }) })
      .locator('dd')
      .innerText();
  }

  test('Interface 21: a new e-mail that is not confirmed is a fact, until it is, and its events have names', async () => {
    const user = await signIn(site.gateway, await site.gateway.user());
    const { page, close } = await openConsole(site, 'analyst', pathOf(user.user.id));
    await page.locator('dt').getByText('Failed logins').waitFor();
    expect(await page.getByText('New e-mail').count()).toBe(0);
    const wanted = `${'x'.repeat(60)}@example.com`; // longer than a column
    expect((await post(site.gateway, 'email', { email: wanted }, user.accessToken)).status).toBe(202);
    await page.reload();
    await page.getByText('New e-mail, not confirmed yet', { exact: true }).waitFor();
    expect(await fact(page, 'New e-mail, not confirmed yet')).toBe(wanted);
    await page.getByText('asked to change their e-mail to').waitFor();
    await close();
  });

  test('Interface 19: the facts have the id to copy', async () => {
    const user = await site.gateway.user({ role: 'analyst' });
    const { page, close } = await openConsole(site, 'analyst', pathOf(user.id));
    await page.getByRole('button', { name: 'Copy id' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(user.id);
    expect([await fact(page, 'Role'), await fact(page, 'Password'), await fact(page, 'Last login')]).toEqual([
      'analyst',
      'Set',
      'Never',
    ]);
    await close();
  });

  test('Interface 19: a link to reset the password is shown once, and ends the one before', async () => {
    const user = await site.gateway.user();
    const { page, wrong, close } = await openConsole(site, 'admin', pathOf(user.id));
    const issue = async (): Promise<string | undefined> => {
      await change(page, 'Password link', 'Issue link');
      const text = await page.getByRole('dialog').getByText('/set-password#token=').innerText();
      await page.getByRole('button', { name: 'Done' }).click();
      return text.split('token=')[1];
    };
    const before = await issue();
    const token = await issue();
    expect(await page.content()).not.toContain(token);
    expect((await redeem(site.gateway, before)).status).toBe(401);
    expect((await redeem(site.gateway, token)).status).toBe(204);
    expect((await login(site.gateway, user.email, CHOSEN)).status).toBe(200);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the heading of each view has the focus, also after a deletion', async () => {
    const user = await site.gateway.user();
    const { page, close } = await openConsole(site, 'admin', `/console/users?search=${user.email}`);
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.getByRole('link', { name: user.email, exact: true }).click();
    await until('the user has the focus', async () => (await focused()) === user.email);
    await change(page, 'Delete', 'Delete user');
    await said(page, `${user.email} is deleted.`);
    await until('the list has the focus', async () => (await focused()) === 'Users');
    await page.getByRole('table', { name: 'Users' }).waitFor();
    await close();
  });

  test('Interface 19: a path with anything else in the place of an id is no user', async () => {
    const { page, wrong, close } = await openConsole(site, 'analyst', pathOf('%3Cimg%20src=x%20onerror=alert(1)%3E'));
    await expectHeading(page, 'User');
    await page.getByText('There is no user with the id').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: without a database the page says so, and shows the user once it is back', async () => {
    const user = await site.gateway.user();
    const { page, close } = await openConsole(site, 'analyst', `/console/users?search=${user.email}`);
    const link = page.getByRole('link', { name: user.email, exact: true });
    await link.waitFor();
    await whileAway(site.gateway.database, async () => {
      await link.click();
      await page.getByRole('alert').getByText('cannot reach its database').waitFor();
      await expectHeading(page, 'User');
    });
    await expectHeading(page, user.email);
    await page.getByText('cannot reach its database').first().waitFor({ state: 'detached' });
    await close();
  });

  test('Interface 19: one session is ended', async () => {
    const user = await site.gateway.user();
    await logInElsewhere(user.email, FIREFOX, 'curl/8');
    const { page, wrong, close } = await openConsole(site, 'admin', pathOf(user.id));
    await page.getByRole('button', { name: 'End the session from 127.0.0.1, Firefox 143 on Linux' }).click();
    const dialog = page.getByRole('dialog', { name: 'End session' });
    await dialog.getByText(`Ends 1 session of ${user.email}`).waitFor();
    await dialog.getByRole('button', { name: 'End session' }).click();
    await said(page, 'The session is ended.');
    await page
      .getByRole('row')
      .filter({ hasText: 'Firefox 143' })
      .filter({ hasText: 'Live' })
      .waitFor({ state: 'detached' });
    await expectFocus(page, 'e.textContent', 'Live sessions');
    expect(await liveSessions(user.id)).toBe(1);
    await page.getByRole('link', { name: 'Events of the session' }).click();
    await until('the story', () => /\/console\/audit\?sessionId=[0-9a-f-]{36}$/.test(page.url()));
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: all sessions are ended, however many pages they fill', async () => {
    const user = await site.gateway.user();
    await storeSessions(user.id, 130);
    const { page, wrong, close } = await openConsole(site, 'admin', pathOf(user.id));
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText(`Ends at least 100 sessions of ${user.email}.`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await said(page, 'Ended 130 sessions.');
    await page.getByText('No live session.').waitFor();
    expect(await liveSessions(user.id)).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the page of oneself says so, spares its own session, and its deactivation logs out', async () => {
    const { page, id, email, wrong, close } = await openConsole(site, 'admin', '/console/users');
    await logInElsewhere(email, FIREFOX, FIREFOX);
    await site.gateway.user({ role: 'admin' }); // so that this one is not the last
    await page.goto(`${site.edge.url}${pathOf(id)}`);
    await page.getByText('This is you').waitFor();
    const own = page.getByRole('row').filter({ hasText: 'This session' });
    await own.waitFor();
    expect(await own.getByRole('button').count()).toBe(0);
    await change(page, 'End all sessions');
    await said(page, 'Ended 2 sessions.');
    expect(await liveSessions(id)).toBe(1);
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').getByText('This is your own account.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await expectHeading(page, 'Log in');
    expect(await userRow(id)).toMatchObject({ is_active: false });
    expect(wrong).toEqual([]);
    await close();
  });

  test.each([
    ['Deactivate', 'Deactivate'],
    ['Delete', 'Delete user'],
  ])('Interface 19: %s: the last administrator stays, and the dialog says why', async (button, action) => {
    const { page, id, wrong, close } = await openConsole(site, 'admin', '/console/users');
    await site.gateway.rows(`update users set role = 'viewer' where role = 'admin' and id <> $1`, [id]);
    await page.goto(`${site.edge.url}${pathOf(id)}`);
    await change(page, button, action);
    await page.getByRole('alert').getByText('The last active administrator cannot be').waitFor();
    expect(await userRow(id)).toMatchObject({ is_active: true });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the latest events lead to all of them, and to what the user did', async () => {
    const user = await site.gateway.user({ role: 'admin' });
    await login(site.gateway, user.email, 'wrong');
    const { page, close } = await openConsole(site, 'analyst', pathOf(user.id));
    await page.getByRole('list', { name: 'Latest events' }).getByText('Login refused').waitFor();
    const hrefOf = (name: string) => page.getByRole('link', { name }).getAttribute('href');
    expect(await hrefOf('All events')).toBe(`/console/audit?userId=${user.id}`);
    expect(await hrefOf('What this user did')).toBe(`/console/audit?actorId=${user.id}`);
    await close();
  });

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide, with hostile User-Agents: axe finds nothing',
    async (scheme, width) => {
      const name = 'a.very.long.name.of.somebody';
      const user = await site.gateway.user({ email: `${name}@${scheme}-${width}.${'sub-domain.'.repeat(15)}example` });
      const { page, wrong, close } = await openConsole(site, 'admin', pathOf(user.id), { scheme, width });
      await page.getByText('No known device.').waitFor();
      await page.getByText('No live session.').waitFor();
      await page.getByRole('list', { name: 'Latest events' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD); // nearly empty

      await newDevice(site.gateway, user.email);
      await storeSessions(user.id, 25);
      await site.gateway.rows(
        `update users set failed_login_attempts = 5, locked_until = now() + interval '1 hour' where id = $1`,
        [user.id],
      );
      await site.gateway.rows(
        `insert into email_changes (user_id, token_sha256, email, password_version, expires_at)
         values ($1, '', $2, 0, now() + interval '30 minutes')`,
        [user.id, user.email.replaceAll('sub-domain.', 'subxdomainx')],
      );
      for (const table of ['refresh_tokens', 'known_devices', 'audit_events']) {
        await site.gateway.rows(`update ${table} set user_agent = $1 where user_id = $2`, [HOSTILE, user.id]);
      }
      await page.reload();
      await page.getByRole('table', { name: 'Known devices' }).waitFor();
      await page.getByRole('table', { name: 'Live sessions' }).waitFor();
      await page.getByRole('list', { name: 'Latest events' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      for (const button of [
        'Unlock',
        'Password link',
        'Change role',
        'Change e-mail',
        'Deactivate',
        'Delete',
        'End all sessions',
      ]) {
        await page.getByRole('button', { name: button, exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor();
        expect([button, await lookAt(page)]).toEqual([button, GOOD]);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await expectFocus(page, 'e.textContent', button);
      }
      expect(wrong).toEqual([]);
      await close();
    },
  );
});
