/** Users: the list with its filters, and invitations. (Interface 19) */
import type { Page } from 'playwright-core';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/users';

type Four = [string, string, string, string];

inChromium('in Chromium, Users of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  /** E-mails of users with these columns, which have the domain for themselves. */
  async function store(domain: string, users: Record<string, string>): Promise<void> {
    for (const [name, columns] of Object.entries(users)) {
      const { id } = await site.gateway.user({ email: `${name}@${domain}` });
      await site.gateway.rows(`update users set ${columns} where id = $1`, [id]);
    }
  }

  /** The cells of the table, once it has these users in this order. Those of the filter before stay until others are there. */
  async function rowsOf(page: Page, ...emails: string[]): Promise<string[][]> {
    let rows: string[][] = [];
    await until(`the table has ${emails.join()}`, async () => {
      const shown = await page.getByRole('table', { name: 'Users' }).locator('tbody tr').all();
      rows = await Promise.all(shown.map((row) => row.locator('td .value').allInnerTexts()));
      return rows.map(([email]) => email).join() === emails.join();
    });
    return rows;
  }

  const shownCount = (page: Page, text: string): Promise<void> =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor();

  async function choose(page: Page, label: string, option: string): Promise<void> {
    await page.getByRole('search', { name: 'Users' }).getByLabel(label, { exact: true }).selectOption(option);
  }

  const sortBy = (page: Page, column: string): Promise<void> =>
    page.getByRole('columnheader').getByRole('button', { name: column, exact: true }).click();

  test('Interface 19: users are listed with their state, and their number', async () => {
    await store('states.example', {
      active: `last_login_at = '2020-11-20T08:30Z'`,
      deactivated: 'is_active = false',
      invited: 'password_hash = null',
      locked: `role = 'analyst', locked_until = now() + interval '1 hour', failed_login_attempts = 5`,
      unlocked: `locked_until = now() - interval '1 hour', failed_login_attempts = 5`,
    });
    const { page, wrong, close } = await openConsole(site, 'analyst', `${PATH}?search=states.example`);
    const names = ['active', 'deactivated', 'invited', 'locked', 'unlocked'];
    const rows = await rowsOf(page, ...names.map((name) => `${name}@states.example`));
    expect(rows.map(([, role, state]) => [role, state])).toEqual([
      ['viewer', 'Active'],
      ['viewer', 'Deactivated'],
      ['viewer', 'No password yet'],
      ['analyst', expect.stringMatching(/^Locked until /)],
      ['viewer', 'Active'],
    ]);
    expect(rows[0]?.[3]).toContain('20 Nov 2020');
    expect(rows[1]?.[3]).toBe('Never');
    await shownCount(page, '5 users');
    expect(await page.getByRole('button', { name: 'Invite user' }).count()).toBe(0);
    await page.getByRole('link', { name: 'locked@states.example', exact: true }).click();
    await expectHeading(page, 'locked@states.example');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: filters are in the address, and survive a reload and the way back', async () => {
    await store('filters.example', {
      ada: `role = 'admin', created_at = '2026-11-01T00:00Z'`,
      bob: `is_active = false, created_at = '2026-11-03T00:00Z'`,
      cem: `created_at = '2026-11-02T00:00Z', last_login_at = now()`,
      dot: `created_at = '2026-11-04T00:00Z', locked_until = now() + interval '1 hour'`,
    });
    const { page, wrong, close } = await openConsole(site, 'analyst', PATH);
    await page.getByLabel('Part of the e-mail').fill('filters.EXAMPLE');
    const [ada, bob, cem, dot] = ['ada', 'bob', 'cem', 'dot'].map((name) => `${name}@filters.example`) as Four;
    await rowsOf(page, ada, bob, cem, dot);
    await sortBy(page, 'Created');
    await rowsOf(page, dot, bob, cem, ada);
    await sortBy(page, 'Last login');
    await page.getByRole('table', { name: 'Users' }).locator('tbody tr').first().getByText(cem).waitFor();
    await choose(page, 'State', 'Deactivated');
    await rowsOf(page, bob);
    await shownCount(page, '1 user');
    await choose(page, 'State', 'Locked');
    await rowsOf(page, dot);
    await choose(page, 'State', 'Active');
    await rowsOf(page, cem, ada);
    await choose(page, 'Role', 'admin');
    await rowsOf(page, ada);
    expect(page.url()).toBe(
      `${site.edge.url}${PATH}?search=filters.EXAMPLE&order=last_login_at%3Adesc&state=active&role=admin`,
    );
    await page.reload();
    await rowsOf(page, ada);
    expect(await page.getByLabel('Part of the e-mail').inputValue()).toBe('filters.EXAMPLE');
    await page.goBack();
    await rowsOf(page, cem, ada);
    await choose(page, 'Role', 'analyst');
    await page.getByText('No user matches.').waitFor();
    await page.getByRole('button', { name: 'Show all users' }).click();
    await page.getByRole('table').waitFor();
    expect(page.url()).toBe(`${site.edge.url}${PATH}`);
    expect(await page.getByLabel('Part of the e-mail').inputValue()).toBe('');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the heads of columns sort in both directions; links of earlier versions still sort', async () => {
    await store('sorted.example', {
      ada: `created_at = '2026-11-02T00:00Z'`,
      bob: `created_at = '2026-11-03T00:00Z'`,
      cem: `created_at = '2026-11-01T00:00Z'`,
    });
    const [ada, bob, cem] = ['ada', 'bob', 'cem'].map((name) => `${name}@sorted.example`) as [string, string, string];
    const { page, wrong, close } = await openConsole(
      site,
      'analyst',
      `${PATH}?search=sorted.example&orderBy=created_at`,
    );
    const sorted = async (): Promise<string[]> =>
      page
        .locator('th[aria-sort]')
        .evaluateAll((all) => all.map((e) => `${e.textContent} ${e.getAttribute('aria-sort')}`));
    await rowsOf(page, bob, ada, cem);
    expect(await sorted()).toEqual(['Created descending']);
    await sortBy(page, 'Created');
    await rowsOf(page, cem, ada, bob);
    expect(await sorted()).toEqual(['Created ascending']);
    expect(page.url()).toBe(`${site.edge.url}${PATH}?search=sorted.example&order=created_at%3Aasc`);
    await sortBy(page, 'E-mail');
    await rowsOf(page, ada, bob, cem);
    await sortBy(page, 'E-mail');
    await rowsOf(page, cem, bob, ada);
    expect(await sorted()).toEqual(['E-mail descending']);
    await page.setViewportSize({ width: 360, height: 740 });
    await sortBy(page, 'E-mail');
    await rowsOf(page, ada, bob, cem);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a row can be clicked anywhere, and a long e-mail takes one line', async () => {
    const long = `${'long.'.repeat(10)}name@rows.example`;
    const { id } = await site.gateway.user({ email: long });
    const { page, wrong, close } = await openConsole(site, 'analyst', `${PATH}?search=rows.example`);
    await rowsOf(page, long);
    const row = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
    for (const text of ['viewer', 'time']) {
      await (text === 'time' ? row.locator('time').last() : row.getByText(text)).click({ force: true });
      await page.waitForURL(`${site.edge.url}${PATH}/${id}`);
      await page.goBack();
      await rowsOf(page, long);
    }
    expect(await row.getByRole('link').count()).toBe(1);
    for (const width of [1024, 360]) {
      await page.setViewportSize({ width, height: 740 });
      expect((await row.getByRole('link').boundingBox())?.height).toBeLessThan(30);
    }
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: while the users of another filter are awaited, a line says so', async () => {
    const { page, email, wrong, close } = await openConsole(site, 'admin', PATH);
    await page.getByRole('link', { name: email, exact: true }).waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await held;
      await route.continue();
    });
    const list = page.locator('[aria-busy]:has(> table)');
    const line = () =>
      list.evaluate((its) => {
        const { content, visibility } = its.ownerDocument.defaultView?.getComputedStyle(its, '::before') ?? {};
        return content === '""' && visibility === 'visible';
      });
    expect(await line()).toBe(false);
    await choose(page, 'Role', 'admin');
    await until('the line is there', line);
    await page.getByRole('link', { name: email, exact: true }).waitFor(); // the rows stay
    release();
    await page.locator('[aria-busy="false"] > table').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a list that is awaited has its height and is said to be loading; nothing moves for who wants that', async () => {
    const { page, email, wrong, close } = await openConsole(site, 'admin', '/console/sessions');
    await expectHeading(page, 'My sessions');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    const loading = page.getByRole('status').filter({ hasText: 'Loading…' });
    await loading.waitFor();
    expect((await loading.boundingBox())?.height).toBeGreaterThan(200);
    const animations = () =>
      loading.evaluate((its) => its.ownerDocument.defaultView?.getComputedStyle(its).animationName);
    expect(await animations()).toContain('pulse');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await animations()).not.toContain('pulse');
    release();
    await page.getByRole('link', { name: email, exact: true }).waitFor();
    expect(await loading.count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the search box leads to the list, also for the whole e-mail of one user', async () => {
    const { page, email, close } = await openConsole(site, 'analyst', `${PATH}?search=nobody-at-all`);
    await page.getByText('No user matches.').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill(email);
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
    await rowsOf(page, email);
    expect(await page.getByLabel('Part of the e-mail').inputValue()).toBe(email);
    await close();
  });

  test('Interface 19: an e-mail that is taken is said at its field', async () => {
    const { page, email, close } = await openConsole(site, 'admin', PATH);
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite user' });
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByRole('alert').getByText('A user with this e-mail already exists.').waitFor();
    await expectFocus(page, 'e.name', 'email');
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(email);
    await close();
  });

  test('Interface 19: a user without a link is said to be there, and where to get a link', async () => {
    const { page, close } = await openConsole(site, 'admin', `${PATH}?search=linkless.example`);
    await page.route('**/graphql', async (route) => {
      if (!/mutation IssueLink/.test(route.request().postData() ?? '')) return route.fallback();
      const errors = [{ message: 'Out', path: ['issuePasswordLink'], extensions: { code: 'SERVICE_UNAVAILABLE' } }];
      await route.fulfill({ status: 503, json: { data: null, errors } });
    });
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite user' });
    await dialog.getByLabel('E-mail').fill('ada@linkless.example');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('ada@linkless.example is created, but no link was issued').waitFor();
    await page.unroute('**/graphql');
    await dialog.getByRole('link', { name: 'the page of the user' }).click();
    await expectHeading(page, 'ada@linkless.example');
    await page.getByRole('button', { name: 'Password link' }).click();
    await page.getByRole('button', { name: 'Issue link' }).click();
    await page.getByRole('dialog').getByText('It works once, until').waitFor();
    await close();
  });

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide: axe finds nothing in the list and its dialog',
    async (scheme, width) => {
      const domain = `${scheme}-${width}.${'sub-domain.'.repeat(15)}example`;
      await store(domain, {
        'a.very.long.name': `last_login_at = now(), locked_until = now() + interval '1 hour'`,
        "o'reilly+`$x`": 'is_active = false, password_hash = null',
      });
      const { page, wrong, close } = await openConsole(site, 'admin', `${PATH}?search=${domain}`, { scheme, width });
      const rows = page.getByRole('table', { name: 'Users' }).locator('tbody tr');
      await until('both users are shown', async () => (await rows.count()) === 2);
      await shownCount(page, '2 users');
      expect(await lookAt(page)).toEqual(GOOD);
      await page.getByRole('button', { name: 'Invite user' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await page.goto(`${site.edge.url}${PATH}?search=nobody-at-all`);
      await page.getByText('No user matches.').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );
});
