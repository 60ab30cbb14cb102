/** Interface 19: the view Overview: whether something is wrong, and that each number leads to exactly its events. */
import type { Page } from 'playwright-core';
import { refreshTokenOf } from '../../support/gateway/gateway.js';
import { login, logout, refresh, WRONG } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, type Looks, lookAt, openConsole, startConsole } from './console.js';

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' };
const POLL_MS = 30_000;

const SIZES = [
  ['light', 1280],
  ['light', 360],
  ['dark', 1280],
  ['dark', 360],
] as const;

const log = (page: Page) => page.getByRole('table', { name: 'Events of the audit log' });
/** The number of failed logins, which leads to them */
const number = (page: Page) => page.getByRole('link', { name: /failed logins: show the events$/ });

async function open(site: Site, looks: Looks = {}, role: 'admin' | 'analyst' = 'analyst') {
  const opened = await openConsole(site, role, '/console/', looks);
  await expectHeading(opened.page, 'Overview');
  return opened;
}

inChromium('in Chromium, the overview of a gateway where something has happened', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
    const { gateway } = site;
    const insert = (type: string, count: number, ago: string) =>
      gateway.rows(
        `insert into audit_events (event_type, ip_address, user_agent, metadata, created_at)
         select $1, '192.0.2.9', '', jsonb_build_object('email', 'old' || i || '@example.com'), now() - $3::interval
         from generate_series(1, $2) i`,
        [type, count, ago],
      );
    await insert('login_failure', 4, '2 hours');
    await insert('login_failure', 3, '3 days');
    await insert('login_failure', 1, '30 days');
  });
  afterAll(() => site?.close());

  /** Number of events of a type that a query of the audit log counts, in the database. */
  async function eventsOf({ eventTypes, since, until: end }: Record<string, string>): Promise<number> {
    const [row] = await site.gateway.rows<{ count: number }>(
      `select count(*)::int as count from audit_events
       where event_type = any (string_to_array($1, ',')) and created_at >= $2 and created_at < $3`,
      [eventTypes, since, end],
    );
    return row?.count ?? -1;
  }

  /** A session that a thief has used. */
  async function stolen(): Promise<string> {
    const { email } = await site.gateway.user({ role: 'viewer' });
    const token = refreshTokenOf(await login(site.gateway, email, undefined, FIREFOX)) ?? '';
    await refresh(site.gateway, token, FIREFOX);
    await refresh(site.gateway, token, { 'user-agent': 'curl/8' });
    return email;
  }

  test.each(['24 hours', '7 days'])(
    'Interface 19: a number of the last %s leads to exactly the events that it counts',
    async (span) => {
      const { page, wrong, close } = await open(site);
      await page.getByRole('button', { name: span }).click();
      await page.getByRole('heading', { name: `Last ${span}` }).waitFor();
      const shown = await number(page).innerText();
      await number(page).click();
      await expectHeading(page, 'Audit log');
      const count = await eventsOf(Object.fromEntries(new URL(page.url()).searchParams));
      expect(count).toBe(Number(shown));
      expect(count).toBeGreaterThanOrEqual(span === '7 days' ? 7 : 4);
      await page.getByRole('status').getByText(`${count} events`, { exact: true }).waitFor();
      await until('the events are shown', async () => (await log(page).getByRole('row').count()) > Math.min(count, 50));
      await page.goBack();
      await page.getByRole('heading', { name: `Last ${span}` }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: `Last ${span}` }).waitFor();
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test('Interface 19: the heading names another span when its numbers are there', async () => {
    const { page, wrong, close } = await open(site);
    await number(page).waitFor();
    const shown = await number(page).innerText();
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"bucket":"day"')) {
        asked.resolve();
        await held.promise;
      }
      await route.continue();
    });
    await page.getByRole('button', { name: '7 days' }).click();
    await asked.promise;
    expect(await page.getByRole('heading', { name: 'Last ' }).allInnerTexts()).toContain('Last 24 hours');
    expect(await number(page).innerText()).toBe(shown);
    held.resolve();
    await page.getByRole('heading', { name: 'Last 7 days' }).waitFor();
    expect(Number(await number(page).innerText())).toBe(Number(shown) + 3);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a bar, and by keyboard its cell of the table, lead to exactly the events of their hour', async () => {
    const { page, wrong, close } = await open(site);
    await page.locator('.tile svg .bar-warn').first().click();
    await expectHeading(page, 'Audit log');
    const ofBar = page.url();
    expect(await eventsOf(Object.fromEntries(new URL(ofBar).searchParams))).toBe(4);
    await until('four are shown', async () => (await log(page).getByRole('row').count()) === 5);
    await page.goBack();
    await number(page).waitFor();
    await page.getByText('The numbers as a table').focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('link', { name: /^4 failed logins, / })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    await expectHeading(page, 'Audit log');
    expect(page.url()).toBe(ofBar);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a theft is told with what its session says; a token that a logout had ended is none', async () => {
    const email = await stolen();
    const harmless = await site.gateway.user({ role: 'viewer' });
    const token = refreshTokenOf(await login(site.gateway, harmless.email)) ?? '';
    await logout(site.gateway, token);
    await refresh(site.gateway, token);
    const { page, wrong, close } = await open(site);
    await page.getByText(/^Look at this: \d+ token thefts? in 7 days/).waitFor();
    await page.getByText(/\d+ thefts?, \d+ of a session that had been ended, which is no theft/).waitFor();
    const theft = page.getByRole('listitem').filter({ hasText: `Token theft of ${email}` });
    await theft.getByText('had already been used was presented again').waitFor();
    expect(await page.getByText(`Token theft of ${harmless.email}`).count()).toBe(0);
    await theft.getByText('Steps of the session').click();
    await until('the steps are shown', async () => (await theft.locator('ol.steps > li').count()) === 3);
    await theft.getByRole('link', { name: 'Events of this session' }).click();
    await expectHeading(page, 'Audit log');
    await page.getByText('ended by a token theft').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: who is locked is listed until when, and last failures have names', async () => {
    const { email, id } = await site.gateway.user({ role: 'viewer' });
    for (let i = 0; i < 6; i += 1) await login(site.gateway, email, WRONG, FIREFOX);
    await login(site.gateway, 'stranger@example.com', WRONG, FIREFOX);
    const { page, wrong, close } = await open(site);
    await page.getByText(/^Look at this: .*\d+ users? locked now\.$/).waitFor();
    const failures = page.getByRole('table', { name: 'Last failures' });
    expect(await failures.getByRole('row').nth(1).innerText()).toMatch(
      /Login failed\s+stranger@example\.com no such user\s+127\.0\.0\.1\s+Firefox 143 on Linux/,
    );
    expect(await failures.getByRole('row').nth(2).innerText()).toContain(email);
    const row = page.getByRole('table', { name: 'Users locked now' }).getByRole('row').filter({ hasText: email });
    const [locked] = await site.gateway.rows<{ locked_until: Date }>('select locked_until from users where id = $1', [
      id,
    ]);
    expect(await row.locator('time').getAttribute('datetime')).toBe(locked?.locked_until.toISOString());
    await row.getByRole('link', { name: email, exact: true }).click();
    await expectHeading(page, email);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: numbers change in place; lists change when they are asked to', async () => {
    const { page, wrong, close } = await open(site);
    await page.clock.install();
    await page.reload();
    const failures = page.getByRole('table', { name: 'Last failures' });
    await failures.waitFor();
    const before = await failures.innerText();
    const countNow = async (): Promise<number> => Number(await number(page).innerText());
    const counted = await countNow();
    await login(site.gateway, 'fresh@example.com', WRONG, FIREFOX);
    await page.clock.fastForward(POLL_MS);
    await until('the number has changed', async () => (await countNow()) === counted + 1);
    const show = page.getByRole('button', { name: 'Show 1 new failure' });
    await show.waitFor();
    expect(await failures.innerText()).toBe(before);
    await show.focus();
    await page.keyboard.press('Enter');
    await failures.getByText('fresh@example.com').waitFor();
    await until('the heading has the focus', () =>
      page.evaluate<boolean>('document.activeElement.textContent === "Last failures"'),
    );
    expect(wrong).toEqual([]);
    await close();
  });

  test.each(SIZES)(
    'Interface 19: %s, %i pixels wide: axe finds nothing, whatever strangers choose',
    async (scheme, width) => {
      const hostile = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(200)}@example.com`;
      await stolen();
      const { email } = await site.gateway.user({ role: 'viewer' });
      for (let i = 0; i < 6; i += 1) await login(site.gateway, email, WRONG, { 'user-agent': '<b>'.repeat(170) });
      await site.gateway.rows(
        `insert into audit_events (event_type, ip_address, user_agent, metadata)
       values ('login_failure', '192.0.2.1', $1, jsonb_build_object('email', $2::text))`,
        ['y'.repeat(512), hostile],
      );
      const { page, wrong, close } = await open(site, { scheme, width }, 'admin');
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      await page.getByText('The numbers as a table').click();
      await page.getByText('Steps of the session').first().click();
      await page.locator('ol.steps > li').first().waitFor();
      expect(await page.locator('img').count()).toBe(0);
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );
});

inChromium('in Chromium, the overview of a gateway where nothing has happened', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  test.each(SIZES)('Interface 19: %s, %i pixels wide: it says that nothing is wrong', async (scheme, width) => {
    const { page, wrong, close } = await open(site, { scheme, width });
    await page.getByText('No token theft in 7 days, and nobody is locked.').waitFor();
    await page.getByText('0 failed logins in 24 hours.').waitFor();
    for (const text of ['No token was stolen.', 'Nobody is locked.', 'Nobody has failed to log in.']) {
      await page.getByText(text, { exact: true }).waitFor();
    }
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a viewer is led to the own sessions, and may not see the audit log', async () => {
    const { page, wrong, close } = await openConsole(site, 'viewer', '/console/');
    await expectHeading(page, 'My sessions');
    await page.goto(`${site.edge.url}/console/audit`);
    await page.getByText('Your role (viewer) may not see this view.').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });
});
