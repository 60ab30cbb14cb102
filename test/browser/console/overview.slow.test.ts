/** The view Overview: whether something is wrong, and that each number leads to exactly its events. (Interface 19) */
import type { Locator, Page } from 'playwright-core';
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { revokeSession } from '../../../src/admin/sessions.js';
import { deleteUser, setUserActive, setUserEmail, setUserPassword } from '../../../src/admin/user-changes.js';
import { createWebhook, deleteWebhook } from '../../../src/admin/webhooks.js';
import { claimsOf, refreshTokenOf } from '../../support/gateway/gateway.js';
import { ANOTHER } from '../../support/gateway/passwords.js';
import { login, logout, refresh, WRONG } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, type Looks, lookAt, openConsole, startConsole } from './console.js';

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' };
const POLL_MS = 30_000;

const log = (page: Page) => page.getByRole('list', { name: 'Events of the audit log' });
/** The number of failed logins, which leads to them */
const number = (page: Page) => page.getByRole('link', { name: /failed logins: show the events$/ });

type End = (site: Site, userId: string, sid: string, token: string) => Promise<unknown>;

/** What ends a session whose token nobody has used, by the `ended_by` of the token that comes again. */
const ENDS: Record<string, End> = {
  session_revoked: ({ gateway }, _id, sid) => revokeSession(gateway.app, COMMAND_LINE, undefined, sid),
  logout: ({ gateway }, _id, _sid, token) => logout(gateway, token),
  user_deactivated: ({ gateway }, id) => setUserActive(gateway.app, COMMAND_LINE, id, false),
  user_password_set: ({ gateway }, id) => setUserPassword(gateway.app, COMMAND_LINE, id, ANOTHER),
  user_deleted: ({ gateway }, id) => deleteUser(gateway.app, COMMAND_LINE, id),
};

/** What the plot counts: the sum of each of its series. */
async function plotted(page: Page): Promise<Record<string, number>> {
  const table = page.locator('.plot table');
  await table.waitFor({ state: 'attached' });
  const [, ...names] = await table.locator('th').allTextContents();
  const rows = await table.locator('tbody tr').all();
  const sums = names.map(() => 0);
  for (const row of rows) {
    const [, ...cells] = await row.locator('.value').allTextContents();
    cells.forEach((count, i) => {
      sums[i] = (sums[i] ?? 0) + Number(count);
    });
  }
  return Object.fromEntries(names.map((name, i) => [name, sums[i] ?? Number.NaN]));
}

const colourOf = (element: Locator): Promise<unknown> =>
  element.evaluate('(element) => getComputedStyle(element).color');

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
      await until(
        'the events are shown',
        async () => (await log(page).locator('.event').count()) === Math.min(count, 50),
      );
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
    await until('four are shown', async () => (await log(page).locator('.event').count()) === 4);
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

  test('Interface 19: a bar is as high as its count is large, from a scale of five on, and says its value', async () => {
    await site.gateway.rows(
      `insert into audit_events (event_type, ip_address, user_agent, metadata, created_at)
       select 'account_locked', '192.0.2.9', '', '{}', now() - interval '5 hours' from generate_series(1, 2) i`,
    );
    const { page, wrong, close } = await open(site);
    const tile = page.locator('.tile').filter({ hasText: 'Refused: account locked' });
    const bars = tile.locator('.bar-bad');
    await bars.first().waitFor();
    const heights = await bars.evaluateAll((all) => all.map((each) => Number(each.getAttribute('height'))));
    const shown = await tile.locator('.bars-scale').allInnerTexts();
    const top = Math.max(5, ...heights.map((height) => (2 * height) / (heights[0] ?? 0)));
    expect(heights[0]).toBeCloseTo((2 / top) * 100);
    expect(shown.join().replaceAll(/\s+/g, ' ')).toBe(`${top} 0`);
    await bars.first().hover();
    await tile.getByText(/^2 · /).waitFor();
    await page.mouse.move(0, 0);
    await tile.getByText(/^2 · /).waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: bars are one stop of Tab, and the arrow keys lead to each, which says its value', async () => {
    const { page, wrong, close } = await open(site);
    const bars = page.getByRole('group', { name: 'Failed logins by hour' });
    const tile = page.locator('.tile').filter({ has: bars });
    const named = () => page.evaluate<string>(`document.activeElement?.getAttribute('aria-label') ?? ''`);
    await bars.waitFor();
    const names = await bars.getByRole('link').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
    expect(names).toHaveLength(24);
    expect(names.at(-3)).toMatch(/^\d+ · .+:00$/);
    await number(page).focus();
    await page.keyboard.press('Tab');
    for (const [key, name] of [
      ['', names.at(-1)],
      ['ArrowRight', names.at(-1)],
      ['ArrowLeft', names.at(-2)],
      ['ArrowLeft', names.at(-3)],
      ['Home', names[0]],
      ['ArrowLeft', names[0]],
      ['End', names.at(-1)],
      ['ArrowLeft', names.at(-2)],
    ] as const) {
      if (key !== '') await page.keyboard.press(key);
      expect(await named()).toBe(name);
      await tile.getByText(name ?? '', { exact: true }).waitFor();
    }
    await page.keyboard.press('Tab');
    expect(await bars.evaluate((element) => element.contains(document.activeElement))).toBe(false);
    await page.keyboard.press('Shift+Tab'); // back to where it was left
    expect(await named()).toBe(names.at(-2));
    expect(await lookAt(page)).toEqual(GOOD);
    await page.keyboard.press('Enter');
    await expectHeading(page, 'Audit log');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an e-mail of a failure is one line at ordinary widths, and has a title where it is cut', async () => {
    const { gateway } = site;
    const { email } = await gateway.user({ email: 'grace.hopper.of.the.navy@mail.example.com', role: 'viewer' });
    await login(gateway, email, WRONG, FIREFOX);
    await login(gateway, `nobody.${email}`, WRONG, FIREFOX);
    const { page, wrong, close } = await open(site);
    for (const width of [1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      for (const each of [email, `nobody.${email}`]) {
        const line = page.getByRole('table', { name: 'Last failures' }).getByTitle(each, { exact: true });
        const { height, size, cut, dots } = await line.evaluate((element) => {
          const text = element.querySelector('bdi') as Element;
          const { fontSize, textOverflow, display } = getComputedStyle(text);
          return {
            height: element.getBoundingClientRect().height,
            size: Number.parseFloat(fontSize),
            cut: text.scrollWidth > text.clientWidth,
            dots: `${display} ${textOverflow}`,
          };
        });
        expect(height).toBeLessThan(2.5 * size); // of two lines three
        expect(dots).toBe('inline-block ellipsis');
        if (width === 1024) expect(cut).toBe(true);
      }
    }
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a theft is told with what its session says, and counted', async () => {
    const email = await stolen();
    const { page, wrong, close } = await open(site);
    await page.getByText(/^Look at this: \d+ token thefts? in 7 days/).waitFor();
    const count = page.getByRole('link', { name: 'token thefts: show the events' });
    const [stored] = await site.gateway.rows<{ thefts: number }>(
      `select count(*)::int as thefts from audit_events where event_type = 'token_theft'`,
    );
    expect(Number(await count.innerText())).toBe(stored?.thefts);
    const theft = page.getByRole('listitem').filter({ hasText: `Token theft of ${email}` });
    await theft.getByText('had already been used was presented again').waitFor();
    await theft.getByText('Steps of the session').click();
    await until('the steps are shown', async () => (await theft.locator('ol.steps > li').count()) === 3);
    await theft.getByRole('link', { name: 'Events of this session' }).click();
    await expectHeading(page, 'Audit log');
    await page.getByText('ended by a token theft').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a failure of no active user leads to who has its e-mail now, also after a change of it', async () => {
    const { gateway } = site;
    const [ada, bert] = [await gateway.user({ role: 'viewer' }), await gateway.user({ role: 'viewer' })];
    for (const { id, email } of [ada, bert]) {
      await setUserActive(gateway.app, COMMAND_LINE, id, false);
      await login(gateway, email, undefined, FIREFOX);
    }
    await setUserEmail(gateway.app, COMMAND_LINE, bert.id, 'bert@example.com');
    const { page, wrong, close } = await open(site);
    for (const [row, text, { id }] of [
      [2, `${ada.email} no active user with this e-mail then`, ada],
      [1, `${bert.email} no active user with this e-mail then; now bert@example.com`, bert],
    ] as const) {
      const who = page.getByRole('table', { name: 'Last failures' }).getByRole('row').nth(row).locator('.value').nth(2);
      expect(await who.innerText()).toBe(text);
      await who.getByRole('link').click();
      await page.waitForURL(`${site.edge.url}/console/users/${id}`);
      await page.goBack();
    }
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
      /Login failed\s+stranger@example\.com no active user with this e-mail\s+127\.0\.0\.1\s+Firefox 143 on Linux/,
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

  test.each(LOOKS)(
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
    site = await startConsole({ env: { WEBHOOK_HOSTS: '127.0.0.1:9' }, outboxPollMs: 3_600_000 });
  });
  afterAll(() => site?.close());

  test.each(LOOKS)('Interface 19: %s, %i pixels wide: it says that nothing is wrong', async (scheme, width) => {
    const { page, wrong, close } = await open(site, { scheme, width });
    await page.getByText('No token theft in 7 days, and nobody is locked.').waitFor();
    await page.getByText('0 failed logins in 24 hours.').waitFor();
    await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Last 24 hours']); // no empty lists
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a webhook that fails is said first to who may see webhooks', async () => {
    const { webhook } = await createWebhook(site.gateway.app, COMMAND_LINE, { url: 'http://127.0.0.1:9/hook' });
    await site.gateway.rows(
      `update outbox_cursors set last_attempt_at = now(), last_outcome = 'http_error' where id = $1`,
      [webhook.id],
    );
    const { page, wrong, close } = await open(site, {}, 'admin');
    await page.getByText('Look at this: 1 webhook whose last event was not delivered.').waitFor();
    const { page: other, close: closeOther } = await open(site); // an analyst
    await other.getByText('No token theft in 7 days, and nobody is locked.').waitFor();
    expect(wrong).toEqual([]);
    await deleteWebhook(site.gateway.app, COMMAND_LINE, webhook.id);
    await Promise.all([close(), closeOther()]);
  });

  test.each(Object.entries(ENDS))(
    'Interface 19: a token that came again after a %s is no theft: not here, and in no view in red',
    async (endedBy, end) => {
      const { gateway } = site;
      await gateway.rows('delete from audit_events');
      const user = await gateway.user({ role: 'viewer' });
      const answer = await login(gateway, user.email, undefined, FIREFOX);
      const [sid, token] = [String(claimsOf(answer.json.access_token)['sid']), refreshTokenOf(answer) ?? ''];
      await end(site, user.id, sid, token);
      await refresh(gateway, token, FIREFOX);
      expect(
        await gateway.rows(`select metadata ->> 'ended_by' as by from audit_events where event_type = 'token_theft'`),
      ).toEqual([{ by: endedBy }]);

      const { page, wrong, close } = await open(site);
      await page.getByText('No token theft in 7 days, and nobody is locked.').waitFor();
      expect(await page.getByRole('link', { name: 'token thefts: show the events' }).innerText()).toBe('0');
      expect(await page.getByRole('heading', { name: /^Token thefts of/ }).count()).toBe(0);
      const grey = await colourOf(page.locator('.quiet').first());
      const expectGrey = async (path: string): Promise<void> => {
        await page.goto(`${site.edge.url}${path}`);
        const name = page.getByText('Ended session used again', { exact: true }).last();
        await name.waitFor();
        expect([path, await colourOf(name)]).toEqual([path, grey]);
        expect([path, await page.locator('tbody .bad, ol.steps .bad, .bars .bar-bad').count()]).toEqual([path, 0]);
        expect([path, await page.getByText('Token theft', { exact: true }).locator('visible=true').count()]).toEqual([
          path,
          0,
        ]);
      };
      if (endedBy !== 'user_deleted') await expectGrey(`/console/users/${user.id}`);
      await expectGrey('/console/audit');
      expect(await plotted(page)).toMatchObject({ 'Token thefts': 0 });
      await expectGrey('/console/audit?eventTypes=token_theft');
      expect(await plotted(page)).toEqual({ 'Token thefts': 0, 'Ended session used again': 1 });
      await expectGrey(`/console/audit?sessionId=${sid}`);
      await expectGrey('/console/audit?isTheft=false');
      expect(await plotted(page)).toEqual({ 'Ended session used again': 1 });
      await page.goto(`${site.edge.url}/console/audit?isTheft=true`);
      await page.getByText('No event matches these filters.').waitFor();
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test('Interface 19: a viewer is led to the own sessions, and may not see the audit log', async () => {
    const { page, wrong, close } = await openConsole(site, 'viewer', '/console/');
    await expectHeading(page, 'My sessions');
    await page.goto(`${site.edge.url}/console/audit`);
    await page.getByText('Your role (viewer) may not see this view.').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });
});
