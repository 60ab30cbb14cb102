/** Logging in and out, what each role sees, the search box, and what the page must never do. (Interface 19) */
import type { Request } from 'playwright-core';
import { PASSWORD } from '../../support/gateway/gateway.js';
import { login } from '../../support/gateway/routes.js';
import { whileAway } from '../../support/postgres/faults.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, GOOD, logIn, lookAt, openAlone, openConsole, startConsole } from './console.js';

const LINKS = {
  admin: ['Overview', 'Users', 'Sessions', 'Audit log', 'Keys', 'Webhooks', 'Gateway', 'My sessions'],
  analyst: ['Overview', 'Users', 'Sessions', 'Audit log', 'My sessions'],
  viewer: ['My sessions'],
} as const;

inChromium('in Chromium, the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  test.each(['admin', 'analyst', 'viewer'] as const)(
    'Interface 19: the links are those that %s may see',
    async (role) => {
      const { page, email, wrong, close } = await openConsole(site, role, '/console/');
      await expectHeading(page, role === 'viewer' ? 'My sessions' : 'Overview');
      expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(LINKS[role]);
      await page.getByText(email).first().waitFor();
      await page.getByRole('button', { name: 'Log out' }).click();
      await expectHeading(page, 'Log in');
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test('Interface 19: each view has its path, its heading and its title, and survives a reload', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin');
    for (const name of LINKS.admin) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await expectHeading(page, name);
      await page.reload();
      await expectHeading(page, name);
      expect(await page.title()).toBe(`${name} · ${new URL(site.edge.url).host}`);
      expect(await page.getByRole('navigation').locator('[aria-current="page"]').innerText()).toBe(name);
    }
    await page.goBack();
    await expectHeading(page, 'Gateway');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a view that the role may not see says so, and asks the gateway nothing of it', async () => {
    const { page, close } = await openConsole(site, 'analyst', '/console/keys');
    await page.getByText('Your role (analyst) may not see this view.').waitFor();
    await expectHeading(page, 'Keys');
    await page.goto(`${site.edge.url}/console/nothing`);
    await expectHeading(page, 'Not found');
    await close();
  });

  test('Interface 19: a wrong password is said at the form, which stays usable', async () => {
    const { email } = await site.gateway.user({ role: 'admin' });
    const { page, wrong, close } = await openAlone(site, '/console/users');
    await expectHeading(page, 'Log in');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('E-mail or password is wrong.').waitFor();
    await expectFocus(page, 'e.id', 'password');
    await logIn(page, email);
    await expectHeading(page, 'Users');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the next user of the same tab sees nothing of the previous one', async () => {
    const { page, email, close } = await openConsole(site, 'admin', '/console/users');
    await page.getByRole('button', { name: 'Log out' }).click();
    await expectHeading(page, 'Log in');
    const next = await site.gateway.user({ role: 'viewer' });
    await logIn(page, next.email);
    await page.getByText('Your role (viewer) may not see this view.').waitFor();
    expect(await page.content()).not.toContain(email);
    await close();
  });

  test('Interface 19: if the gateway ends the session, the page says so, and goes on at the same view', async () => {
    const { page, email, id, close } = await openConsole(site, 'admin', '/console/users');
    await expectHeading(page, 'Users');
    await site.gateway.rows('update refresh_tokens set revoked = true where user_id = $1', [id]);
    await page.reload();
    await page.getByText('Your session has ended.').waitFor();
    await logIn(page, email);
    await expectHeading(page, 'Users');
    await close();
  });

  test('Interface 19: while the gateway does not answer, a page that is opened says so and goes on by itself', async () => {
    const { page, close } = await openConsole(site, 'viewer');
    await expectHeading(page, 'My sessions');
    await page.route('**/auth/refresh', (route) => route.abort());
    await page.reload();
    await page.getByText('The gateway does not answer. Trying again').waitFor();
    await page.unrouteAll();
    await expectHeading(page, 'My sessions');
    await close();
  });

  test('Interface 19: a theme that is chosen holds after a reload, in other tabs, and until the system is chosen', async () => {
    const { page, wrong, close } = await openConsole(site, 'viewer');
    const ground = (of = page) => of.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    const other = await page.context().newPage();
    await other.goto(`${site.edge.url}/console/`);
    await page.getByLabel('Theme').selectOption('Dark');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await until('the other tab is dark', async () => (await ground(other)) === dark);
    await page.reload();
    await expectHeading(page, 'My sessions');
    expect([await ground(), await page.getByLabel('Theme').inputValue()]).toEqual([dark, 'dark']);
    await page.getByLabel('Theme').selectOption('System');
    expect(await ground()).toBe(light);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: on a phone the header is low, the links are one row, and the account is behind a button', async () => {
    const { page, email, wrong, close } = await openConsole(site, 'admin', '/console/sessions', { width: 360 });
    await expectHeading(page, 'My sessions');
    expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThanOrEqual(110);
    const links = page.getByRole('navigation').getByRole('link');
    const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()));
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
    const [first, last] = [boxes[0], boxes.at(-1)]; // the last one is the current one
    expect(first?.x).toBeLessThan(0);
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(360);
    const logOut = page.getByRole('button', { name: 'Log out' });
    expect(await logOut.count()).toBe(0);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('banner').getByText(email).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.keyboard.press('Escape');
    await logOut.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Account' }).click();
    await logOut.click();
    await expectHeading(page, 'Log in');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: no token is stored, and none is in the page', async () => {
    const { page, close } = await openConsole(site, 'admin');
    await expectHeading(page, 'Overview');
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    );
    expect(stored).not.toMatch(/eyJ/);
    await close();
  });

  test('Interface 19: at another origin the form says where logins are accepted', async () => {
    const { page, close } = await openAlone(site);
    await page.goto(`http://127.0.0.1:${site.edge.port}/console/`);
    const { email } = await site.gateway.user({ role: 'viewer' });
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    expect(await page.getByRole('link', { name: site.edge.url }).getAttribute('href')).toBe(
      `${site.edge.url}/console/`,
    );
    await close();
  });

  test('Interface 19: the search box leads by e-mail, every kind of id, and address', async () => {
    const { page, id, wrong, close } = await openConsole(site, 'admin');
    const someone = await site.gateway.user({ role: 'viewer' });
    await page.reload(); // another record of the session, with a jti of its own
    await expectHeading(page, 'Overview');
    const session = await site.gateway.rows<{ family_id: string; jti: string }>(
      'select family_id, jti from refresh_tokens where user_id = $1 and jti <> family_id order by created_at',
      [id],
    );
    const key = 'ak_0123456789ABCDEFGHIJ';
    for (const [text, path] of [
      [someone.email, `/console/users?search=${encodeURIComponent(someone.email)}`],
      [someone.id, `/console/users/${someone.id}`],
      [session[0]?.family_id ?? '', `/console/audit?sessionId=${session[0]?.family_id}`],
      [session[0]?.jti ?? '', `/console/audit?sessionId=${session[0]?.family_id}`],
      [key, `/console/keys?id=${key}`],
      ['192.0.2.7', '/console/audit?ipAddress=192.0.2.7'],
      ['2001:db8::1', '/console/audit?ipAddress=2001%3Adb8%3A%3A1'],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Search' }).fill(text);
      await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
      await until(`${text} leads to ${path}`, () => page.url() === `${site.edge.url}${path}`);
      await page.goto(`${site.edge.url}/console/users`); // two in a row may lead to the same place
    }
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a view that takes long to load leaves the focus in the search box', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', '/console/gateway');
    await expectHeading(page, 'Gateway');
    const search = page.getByRole('searchbox', { name: 'Search' });
    /** Does something while the code of the view is on its way. */
    const whileLoading = async (view: string, act: () => Promise<void>): Promise<void> => {
      const held: Array<() => void> = [];
      const code = new RegExp(`/console/assets/${view}-[^/]+\\.js`);
      await page.route(code, (route) => new Promise<void>((go) => held.push(() => go(route.continue()))));
      await act();
      await until('the code of the view is asked for', () => held.length > 0);
      for (const go of held) go();
    };
    for (const [text, rest] of [
      ['', '192.0.2.7'], // gone into, and typed into later
      ['192.', '0.2.7'],
    ] as const) {
      await whileLoading('users', async () => {
        await page.goto(`${site.edge.url}/console/users`, { waitUntil: 'commit' });
        await search.click();
        await page.keyboard.type(text);
      });
      await expectHeading(page, 'Users');
      await page.keyboard.type(rest);
      await page.unrouteAll();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site.edge.url}/console/audit?ipAddress=192.0.2.7`);
      await expectFocus(page, 'e.textContent', 'Audit log'); // the search is over
    }
    await page.goto(`${site.edge.url}/console/users`);
    await whileLoading('audit', async () => {
      await search.fill('192.0.2.7');
      await search.press('Enter');
      await page.waitForURL(`${site.edge.url}/console/audit?ipAddress=192.0.2.7`);
      await page.keyboard.type('198.51.'); // the next search
    });
    await expectHeading(page, 'Audit log');
    await page.keyboard.type('100.7');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.edge.url}/console/audit?ipAddress=198.51.100.7`);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: without a database the page says so, and goes on by itself', async () => {
    const { page, close } = await openConsole(site, 'admin', '/console/users');
    await expectHeading(page, 'Users');
    await page.getByRole('table').waitFor();
    await whileAway(site.gateway.database, async () => {
      await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click();
      await page.getByText('cannot reach its database').first().waitFor();
      await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
      await expectHeading(page, 'Overview');
      await page.locator('.view:not(.settling)').waitFor();
      expect(await page.getByText('cannot reach its database').count()).toBe(1); // not in each of its parts
    });
    await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
    await page.getByText('cannot reach its database').first().waitFor({ state: 'detached' }); // each part goes on by itself
    await close();
  });

  test.each([1280, 360])(
    'Interface 19: %i pixels wide, each view appears at once, and nothing jumps',
    async (width) => {
      const long = `whose-address-has-no-place-in-one-line-of-the-frame-${width}@example.com`;
      const { page, email, id, wrong, close } = await openConsole(site, 'admin', '/console/', { width, email: long });
      expect((await login(site.gateway, email)).status).toBe(200); // rows
      await page.addInitScript(`
      const wait = setTimeout; // no view appears because its patience has ended
      globalThis.setTimeout = (run, ms) => wait(run, ms === 1000 ? 60000 : ms);
      globalThis.jumps = [];
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) {
          if (hadRecentInput || value < 0.01) continue; // as the cumulative layout shift is defined
          const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
            \`\${node?.nodeName} \${node?.className ?? node?.data}: \${JSON.stringify([from, to])}\`);
          jumps.push({ value, moved });
        }
      }).observe({ type: 'layout-shift', buffered: true });
    `);
      const asking = new Set<Request>();
      page.on('request', (request) => {
        if (request.headers()['accept'] !== 'text/event-stream') asking.add(request);
      });
      page.on('requestfinished', (request) => asking.delete(request));
      page.on('requestfailed', (request) => asking.delete(request));
      for (const path of ['', 'users', `users/${id}`, 'audit', 'keys', 'webhooks', 'gateway', 'sessions']) {
        asking.clear();
        await page.goto(`${site.edge.url}/console/${path}`);
        await page.locator('.view:not(.settling)').waitFor();
        await until('all but the stream is answered', () => asking.size === 0);
        await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
        expect([path, await page.evaluate('jumps')]).toEqual([path, []]);
      }
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide: axe finds nothing at the login and in the frame',
    async (scheme, width) => {
      const { page, wrong, close } = await openAlone(site, '/console/', { scheme, width });
      await expectHeading(page, 'Log in');
      expect(await lookAt(page)).toEqual(GOOD);
      await logIn(page, (await site.gateway.user({ role: 'admin' })).email);
      await expectHeading(page, 'Overview');
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );
});
