/** The views Users and User: find an account, see what happened to it, and change it. (Interface 19) */
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { CHOSEN } from '../../support/gateway/passwords.js';
import { login } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import {
  ageProofs,
  confirmByPassword,
  expectHeading,
  GOOD,
  type Looks,
  lookAt,
  openConsole,
  startConsole,
} from './console.js';

const PATH = '/console/users';
const HOSTILE = '<img src=x onerror=alert(1)>\u202e'.padEnd(512, 'x');
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

inChromium('in Chromium, users of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole({ env: { KNOWN_DEVICES: 'on' } });
  });
  afterAll(() => site?.close());

  /** Opens the page of a new user as an administrator. */
  async function openUser(role: 'admin' | 'analyst' = 'admin', looks: Looks = {}) {
    const user = await site.gateway.user({ role: 'viewer' });
    const opened = await openConsole(site, role, `${PATH}/${user.id}`, looks);
    await expectHeading(opened.page, user.email);
    return { ...opened, user };
  }

  async function userRow(id: string) {
    const [row] = await site.gateway.rows<Record<string, unknown>>('select * from users where id = $1', [id]);
    return row;
  }

  const emails = (page: Page): Promise<string[]> =>
    page.getByRole('table', { name: 'Users' }).getByRole('link').allInnerTexts();
  const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  /** The button of the open dialog */
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  test('Interface 19: users are found by a part of their e-mail, by role and by state; the query has it', async () => {
    const { page, wrong, close } = await openConsole(site, 'analyst', PATH);
    const locked = await site.gateway.user({ email: 'locked@search.example', role: 'analyst' });
    await site.gateway.user({ email: 'other@search.example', role: 'viewer' });
    await site.gateway.rows(`update users set locked_until = now() + interval '1 hour' where id = $1`, [locked.id]);
    await page.getByLabel('Part of the e-mail').fill('search.example');
    await until('both are shown', async () => (await emails(page)).length === 2);
    await page.getByLabel('Role').selectOption('analyst');
    await until('one is shown', async () => (await emails(page)).join() === locked.email);
    await page.getByLabel('Role').selectOption('');
    await page.getByLabel('State').selectOption('locked');
    await until('one is shown', async () => (await emails(page)).join() === locked.email);
    expect(new URL(page.url()).searchParams.toString()).toBe('search=search.example&state=locked');
    await page.reload();
    await page.getByText('Locked until').waitFor();
    await said(page, '1 user');
    await page.getByLabel('Part of the e-mail').fill('nobody has this');
    await page.getByText('No user matches.').waitFor();
    await press(page, 'Show all users');
    await until('all are shown', async () => (await emails(page)).length > 2);
    expect(await page.getByRole('button', { name: 'Invite user' }).count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: 120 users come page by page, in each order', async () => {
    const { page, close } = await openConsole(site, 'analyst', `${PATH}?search=many.example`);
    await site.gateway.rows(
      `insert into users (id, email, role, password_hash, is_active, created_at)
       select gen_random_uuid(), 'u' || lpad(n::text, 3, '0') || '@many.example', 'viewer', null, true, now() - n * interval '1 minute'
       from generate_series(1, 120) n`,
    );
    await page.reload();
    await page.getByRole('button', { name: 'Show more' }).click();
    await until('two pages', async () => (await emails(page)).length === 100);
    await page.getByRole('button', { name: 'Show more' }).click();
    await until('all', async () => (await emails(page)).length === 120);
    expect((await emails(page))[0]).toBe('u001@many.example');
    await page.getByRole('columnheader').getByRole('button', { name: 'Last login' }).click();
    await until('from the start', async () => (await emails(page)).length === 50);
    await said(page, '120 users');
    await close();
  });

  test('Interface 19: an invited user sets a password by the link that is shown once', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await press(page, 'Invite user');
    await page.getByLabel('E-mail', { exact: true }).fill('invited@example.com');
    await page.getByRole('dialog').getByLabel('Role').selectOption({ value: 'analyst' });
    await confirm(page, 'Invite');
    const link = await page.getByRole('dialog').locator('pre').innerText();
    expect(link).toMatch(/\/set-password\?for=invitation#token=pl_/);
    await page.keyboard.press('Escape'); // what is shown once stays
    await page.getByRole('button', { name: 'Copy link' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    await confirm(page, 'Done');
    expect(await page.content()).not.toContain('token=pl_');
    await page.getByRole('link', { name: 'invited@example.com' }).waitFor();

    await page.goto(link);
    await page.getByLabel('New password').fill(CHOSEN);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('You can log in now.').waitFor();
    expect((await login(site.gateway, 'invited@example.com', CHOSEN)).status).toBe(200);
    expect(wrong.filter((one) => !one.includes('/set-password'))).toEqual([]);
    await close();
  });

  test('Interface 19: an e-mail that exists is refused in the dialog, which stays', async () => {
    const { page, email, close } = await openConsole(site, 'admin', PATH);
    await press(page, 'Invite user');
    await page.getByLabel('E-mail', { exact: true }).fill(email);
    await confirm(page, 'Invite');
    await page.getByRole('dialog').getByRole('alert').getByText('already exists').waitFor();
    await confirm(page, 'Cancel');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await close();
  });

  test('Interface 19: a locked user is unlocked, and gets another role and e-mail', async () => {
    const { page, user, wrong, close } = await openUser();
    for (let i = 0; i < 5; i += 1) await login(site.gateway, user.email, 'wrong');
    await page.reload();
    await page.getByText('Locked until').waitFor();
    await press(page, 'Unlock');
    await confirm(page, 'Unlock');
    await said(page, 'The user is unlocked.');
    await page.getByText('Locked until').waitFor({ state: 'detached' });
    expect(await userRow(user.id)).toMatchObject({ failed_login_attempts: 0, locked_until: null });

    await press(page, 'Change role');
    await page.getByRole('dialog').getByLabel('Role').selectOption({ value: 'analyst' });
    await confirm(page, 'Change role');
    await said(page, 'The role is analyst now.');
    await press(page, 'Change e-mail');
    await page.getByRole('dialog').getByLabel('E-mail').fill('renamed@example.com');
    await confirm(page, 'Change e-mail');
    await expectHeading(page, 'renamed@example.com');
    expect(await userRow(user.id)).toMatchObject({ role: 'analyst', email: 'renamed@example.com' });
    await page.getByRole('list', { name: 'Latest events' }).getByText('changed the e-mail of').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: deactivating says how many sessions end, and ends them', async () => {
    const { page, user, wrong, close } = await openUser();
    for (const userAgent of [FIREFOX, '']) await login(site.gateway, user.email, PASSWORD, { 'user-agent': userAgent });
    await page.reload();
    await press(page, 'Deactivate');
    await page.getByRole('dialog').getByText(`Ends 2 sessions of ${user.email}.`).waitFor();
    await confirm(page, 'Deactivate');
    await said(page, 'The user is deactivated. Ended 2 sessions.');
    expect((await login(site.gateway, user.email)).status).toBe(401);
    await press(page, 'Show ended sessions');
    const ended = page.getByRole('table', { name: 'Ended sessions' }).getByText('User deactivated');
    await until('both have ended', async () => (await ended.count()) === 2);
    await press(page, 'Activate');
    await confirm(page, 'Activate');
    await said(page, 'The user is active.');
    expect((await login(site.gateway, user.email)).status).toBe(200);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: one session is ended, then all, also if one begins meanwhile', async () => {
    const { page, user, wrong, close } = await openUser();
    for (const userAgent of [FIREFOX, HOSTILE.replace('\u202e', ''), '']) {
      await login(site.gateway, user.email, PASSWORD, { 'user-agent': userAgent });
    }
    await page.reload();
    const sessions = page.getByRole('table', { name: 'Live sessions' });
    await sessions.getByRole('button', { name: 'Firefox 143 on Linux' }).click();
    await confirm(page, 'End session');
    await said(page, 'The session is ended.');
    await until('two are left', async () => (await sessions.getByRole('button', { name: /^End/ }).count()) === 2);

    let isFirst = true;
    await page.route('**/graphql', async (route) => {
      if (isFirst && route.request().postData()?.includes('revokeSession')) {
        isFirst = false;
        await login(site.gateway, user.email);
      }
      await route.continue();
    });
    await press(page, 'End all sessions');
    await page.getByRole('dialog').getByText(`Ends 2 sessions of ${user.email}.`).waitFor();
    await confirm(page, 'End all sessions');
    await said(page, 'Ended 3 sessions.');
    await page.getByText('No live session.').waitFor();
    const live = await site.gateway.rows('select from refresh_tokens where user_id = $1 and not revoked', [user.id]);
    expect(live).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a known device is forgotten', async () => {
    const { page, user, close } = await openUser();
    await login(site.gateway, user.email, PASSWORD, { 'user-agent': FIREFOX });
    await page.reload();
    await page.getByRole('button', { name: /^Forget/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Forget/ })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await site.gateway.rows('select from known_devices where user_id = $1', [user.id])).toEqual([]);
    await close();
  });

  test('Interface 19: a user is deleted, another erased; the last administrator stays', async () => {
    const { page, user, id, email, wrong, close } = await openUser();
    await press(page, 'Delete');
    await confirm(page, 'Delete user');
    await said(page, `${user.email} is deleted.`);
    await expectHeading(page, 'Users');
    expect(await userRow(user.id)).toBeUndefined();

    const other = await site.gateway.user({ role: 'viewer' });
    await login(site.gateway, other.email, 'wrong');
    await page.goto(`${site.edge.url}${PATH}/${other.id}`);
    await press(page, 'Delete');
    await page.getByRole('dialog').getByLabel('Erase the person too').check();
    await confirm(page, 'Delete user');
    await said(page, 'In the audit log they are erased-');
    const named = await site.gateway.rows('select from audit_events where metadata::text like $1', [
      `%${other.email}%`,
    ]);
    expect(named).toEqual([]);

    await site.gateway.rows(`update users set role = 'analyst' where role = 'admin' and id <> $1`, [id]);
    await page.goto(`${site.edge.url}${PATH}/${id}`);
    await expectHeading(page, email);
    await page.getByText('This is you').waitFor();
    await press(page, 'Deactivate');
    await page.getByRole('dialog').getByText('This is your own account.').waitFor();
    await confirm(page, 'Deactivate');
    await page.getByRole('dialog').getByRole('alert').getByText('administrator').waitFor();
    expect(await userRow(id)).toMatchObject({ is_active: true });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: after two hours a change of another user asks for the password', async () => {
    const { page, user, id, close } = await openUser();
    await ageProofs(site, id);
    await expectHeading(page, user.email);
    await press(page, 'Deactivate');
    await confirm(page, 'Deactivate');
    await confirmByPassword(page);
    await said(page, 'The user is deactivated.');
    await close();
  });

  test('Interface 19: an analyst sees all of it, and no button that changes it', async () => {
    const { page, user, wrong, close } = await openUser('analyst');
    await login(site.gateway, user.email, PASSWORD, { 'user-agent': FIREFOX });
    await page.reload();
    await page.getByRole('table', { name: 'Live sessions' }).waitFor();
    await page.getByRole('list', { name: 'Latest events' }).waitFor();
    const buttons = await page.getByRole('main').getByRole('button').allInnerTexts();
    expect(buttons.filter((text) => text !== '')).toEqual(['Copy', 'Show ended sessions']); // that of details is an icon
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a user who does not exist is said to be unknown', async () => {
    const { page, close } = await openConsole(site, 'analyst', `${PATH}/00000000-0000-7000-8000-000000000000`);
    await expectHeading(page, 'User');
    await page.getByText('There is no user with the id').waitFor();
    await page.getByRole('link', { name: 'Events about this id' }).click();
    await expectHeading(page, 'Audit log');
    await close();
  });

  test('Interface 19: where mail is on, the link can be mailed and is not shown', async () => {
    const lines: string[] = [];
    const mailing = await startConsole({
      env: { MAIL: 'log', MAIL_FROM: 'auth@example.com' },
      print: (line) => lines.push(line),
    });
    const { page, close } = await openConsole(mailing, 'admin', PATH);
    await press(page, 'Invite user');
    await page.getByLabel('E-mail', { exact: true }).fill('mailed@example.com');
    await page.getByLabel('Mail the link to the user').check();
    await confirm(page, 'Invite');
    await page.getByText('The link is on its way to mailed@example.com').waitFor();
    expect(await page.content()).not.toContain('pl_');
    await until('the mail is printed', () => lines.some((line) => line.includes('token=pl_')));
    await close();
    await mailing.close();
  });

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide: axe finds nothing in the list and on the page of a user',
    async (scheme, width) => {
      const { page, user, wrong, close } = await openUser('admin', { scheme, width });
      await login(site.gateway, user.email, PASSWORD, { 'user-agent': 'hostile' });
      await login(site.gateway, user.email, 'wrong', { 'user-agent': 'hostile' });
      for (const table of ['refresh_tokens', 'known_devices', 'audit_events']) {
        await site.gateway.rows(`update ${table} set user_agent = $1 where user_agent = 'hostile'`, [HOSTILE]);
      }
      await page.reload();
      await page.getByRole('list', { name: 'Latest events' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await press(page, 'Delete');
      await page.getByRole('dialog').getByText('Ends 1 session').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      const long = `${'very.long.name.'.repeat(4)}@${'a-long-host.'.repeat(14)}example.com`.slice(-254);
      await site.gateway.rows('update users set email = $1 where id = $2', [long, user.id]);
      await page.reload();
      await expectHeading(page, long);
      expect(await lookAt(page)).toEqual(GOOD);
      await page.goto(`${site.edge.url}${PATH}`);
      await page.getByRole('table', { name: 'Users' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await page.goto(`${site.edge.url}${PATH}?search=nobody-has-this`);
      await page.getByText('No user matches.').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await site.gateway.rows('update users set email = id::text where id = $1', [user.id]);
      expect(wrong).toEqual([]);
      await close();
    },
  );
});
