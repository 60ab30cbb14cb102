/** The view Users: many users at once, from a list, a file or the rows that are selected. (Interface 19) */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { CHOSEN } from '../../support/gateway/passwords.js';
import { login } from '../../support/gateway/routes.js';
import { readCsv } from '../../support/independent/csv.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/users';

inChromium('in Chromium, many users of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole({ env: { MAIL: 'log' } });
  });
  afterAll(() => site?.close());

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const inDialog = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const dialogHas = (page: Page, text: string) => page.getByRole('dialog').getByText(text).first().waitFor();

  async function downloaded(page: Page, act: () => Promise<void>): Promise<string[][]> {
    const [file] = await Promise.all([page.waitForEvent('download'), act()]);
    return readCsv(await readFile(await file.path(), 'utf8'));
  }

  /** Users without a password, with these e-mails in this domain */
  async function storeUsers(domain: string, count: number): Promise<void> {
    await site.gateway.rows(
      `insert into users (id, email, role, password_hash, is_active, created_at)
       select gen_random_uuid(), 'u' || lpad(n::text, 4, '0') || '@' || $1, 'viewer', null, true, now()
       from generate_series(1, $2::int) n`,
      [domain, count],
    );
  }

  const stored = (domain: string) =>
    site.gateway.rows<{ email: string; role: string; is_active: boolean }>(
      `select email, role, is_active from users where email like '%@' || $1 order by email`,
      [domain],
    );

  test('Interface 19: a pasted list is checked, what is right in it is invited, and the file has a link for each', async () => {
    const taken = await site.gateway.user();
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await press(page, 'Invite many');
    const list = `name,e-mail,role
Ada,"Ada Lovelace <ada@list.example>",analyst
bob@list.example; carol@list.example
${taken.email}
ADA@list.example
nobody`;
    await page.getByLabel('E-mails, or CSV').fill(list);
    await inDialog(page, 'Check');
    await dialogHas(page, '3 users can be invited.');
    for (const fault of [
      'Line 4: email is that of an existing user',
      'Line 5: email is that of line 2',
      'Line 6: has no e-mail',
    ])
      await dialogHas(page, fault);
    await inDialog(page, 'Invite 3 users');
    const rows = await downloaded(page, () => inDialog(page, 'Download 3 links as CSV'));
    expect(rows.map(([email]) => email)).toEqual([
      'email',
      'ada@list.example',
      'bob@list.example',
      'carol@list.example',
    ]);
    expect(await stored('list.example')).toMatchObject([{ role: 'analyst' }, { role: 'viewer' }, { role: 'viewer' }]);
    await inDialog(page, 'Done');
    expect(await page.content()).not.toContain('token=pl_');

    await page.goto(rows[1]?.[1] ?? '');
    await page.getByLabel('New password').fill(CHOSEN);
    await press(page, 'Set password');
    await page.getByText('You can log in now.').waitFor();
    expect((await login(site.gateway, 'ada@list.example', CHOSEN)).status).toBe(200);
    expect(wrong.filter((one) => !one.includes('/set-password'))).toEqual([]);
    await close();
  });

  test('Interface 19: an import of a file goes on after a failure where it stopped', async () => {
    const { page, close } = await openConsole(site, 'admin', PATH);
    const lines = Array.from({ length: 250 }, (_, n) => JSON.stringify({ email: `i${1000 + n}@file.example` }));
    await press(page, 'Import');
    await page.getByLabel('Or a file').setInputFiles({
      name: 'users.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(`${lines.join('\n')}\nfaulty\n`),
    });
    await inDialog(page, 'Check');
    await dialogHas(page, '250 users can be imported, 0 with a password.');
    await dialogHas(page, 'Line 251: the line must be a JSON object');
    let asked = 0;
    await page.route('**/graphql', async (route) => {
      if (!/mutation ImportUsers/.test(route.request().postData() ?? '')) return route.fallback();
      asked += 1;
      if (asked !== 2) return route.fallback();
      const errors = [{ message: 'Out', path: ['importUsers'], extensions: { code: 'SERVICE_UNAVAILABLE' } }];
      return route.fulfill({ status: 503, json: { data: null, errors } });
    });
    await inDialog(page, 'Import 250 users');
    await page.getByRole('dialog').getByRole('alert').getByText('Stopped after 100 of 250.').waitFor();
    expect(await stored('file.example')).toHaveLength(100);
    await inDialog(page, 'Import 250 users');
    await dialogHas(page, '250 users imported.');
    await dialogHas(page, '250 users came without a password.');
    await dialogHas(page, 'Line 251');
    expect(await stored('file.example')).toHaveLength(250);
    await close();
  });

  test('Interface 19: selected users are deactivated at once, oneself is spared, and who is refused is named', async () => {
    const { page, email, wrong, close } = await openConsole(site, 'admin', PATH, { email: 'aa@some.example' });
    const users = [];
    for (const name of ['bb', 'cc', 'dd']) users.push(await site.gateway.user({ email: `${name}@some.example` }));
    for (const user of users) await login(site.gateway, user.email);
    await page.goto(`${site.edge.url}${PATH}?search=some.example`);
    await page.getByRole('checkbox', { name: 'Select the users shown' }).check();
    await page.getByText('4 users selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select cc@some.example' }).uncheck();
    await page.getByText('3 users selected').waitFor();
    expect(new URL(page.url()).pathname).toBe(PATH); // a tick does not follow the row
    await press(page, 'Deactivate');
    await dialogHas(page, 'Your own account is left out.');
    await dialogHas(page, 'bb@some.example, dd@some.example');
    await site.gateway.rows('delete from users where id = $1', [users[2]?.id]);
    await inDialog(page, 'Deactivate 2 users');
    await dialogHas(page, 'Deactivated 1 user. 1 session ended.');
    await dialogHas(page, 'dd@some.example: There is no such user.');
    await inDialog(page, 'Done');
    expect(await stored('some.example')).toEqual([
      { email, role: 'admin', is_active: true },
      { email: 'bb@some.example', role: 'viewer', is_active: false },
      { email: 'cc@some.example', role: 'viewer', is_active: true },
    ]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: all users without a password get a link by mail, in any number', async () => {
    await storeUsers('mass.example', 120);
    const { page, wrong, close } = await openConsole(site, 'admin', `${PATH}?search=mass.example`);
    await page.getByLabel('State').selectOption('no-password');
    await page.getByRole('checkbox', { name: 'Select the users shown' }).check();
    await press(page, 'Select all 120 users');
    await page.getByText('120 users selected').waitFor();
    await press(page, 'Password links');
    await page.getByLabel('Mail the link to the user').check();
    await inDialog(page, 'Issue links for 120 users');
    await dialogHas(page, '120 links on the way by mail.');
    const links = await site.gateway.rows(
      `select from password_links join users on users.id = user_id where email like '%@mass.example'
       and purpose = 'invitation'`,
    );
    expect(links).toHaveLength(120);
    await inDialog(page, 'Done');
    await page.getByLabel('State').selectOption('active'); // nobody sees what is selected there
    await page.getByText('selected').waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: selected users lose their sessions and locks by the keyboard alone', async () => {
    const user = await site.gateway.user({ email: 'keys@only.example' });
    await login(site.gateway, user.email);
    await site.gateway.rows(`update users set locked_until = now() + interval '1 hour' where id = $1`, [user.id]);
    const { page, close } = await openConsole(site, 'admin', `${PATH}?search=only.example`);
    await page.getByRole('checkbox', { name: 'Select keys@only.example' }).focus();
    await page.keyboard.press('Space');
    for (const [name, action] of [
      ['Unlock', 'Unlock 1 user'],
      ['End sessions', 'End sessions of 1 user'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: action }).press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const [row] = await site.gateway.rows(
      `select locked_until, (select count(*)::int from refresh_tokens where user_id = users.id and not revoked) as live
       from users where id = $1`,
      [user.id],
    );
    expect(row).toEqual({ locked_until: null, live: 0 });
    await close();
  });

  test('Interface 19: the users of a filter are exported as CSV', async () => {
    await storeUsers('csv.example', 95);
    const { page, close } = await openConsole(site, 'analyst', `${PATH}?search=csv.example`);
    const rows = await downloaded(page, () => press(page, 'Export all as CSV'));
    expect(rows[0]).toContain('email');
    expect(rows.slice(1).map(([, email]) => email)).toEqual((await stored('csv.example')).map(({ email }) => email));
    expect(await page.getByRole('checkbox').count()).toBe(0); // an analyst changes nobody
    await close();
  });

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide: a selection and the lists to add fit and have no fault of accessibility',
    async (scheme, width) => {
      await storeUsers(`w${width}.example`, 3);
      const { page, close } = await openConsole(site, 'admin', `${PATH}?search=w${width}.example`, { scheme, width });
      await page.getByRole('checkbox', { name: /^Select u0001/ }).check();
      await page.getByText('1 user selected').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      for (const name of ['Deactivate', 'Invite many', 'Import']) {
        await press(page, name);
        await page.getByRole('dialog').waitFor();
        expect(await lookAt(page)).toEqual(GOOD);
        await inDialog(page, 'Cancel');
      }
      await expectHeading(page, 'Users');
      await close();
    },
  );
});
