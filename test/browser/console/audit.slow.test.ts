/** The view Audit log: filters, the plot, the story of a session, new events, and export. (Interface 19) */
import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { type Answer, claimsOf, refreshTokenOf } from '../../support/gateway/gateway.js';
import { login, refresh, WRONG } from '../../support/gateway/routes.js';
import { readCsv } from '../../support/independent/csv.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, expectHeading, GOOD, type Looks, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/audit';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const POLL_MS = 15_000;

interface Seed {
  type?: string;
  email?: string;
  address?: string;
  agent?: string;
  count?: number;
  /** SQL of the time of the `i`th event */
  at?: string;
}

inChromium('in Chromium, the audit log of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  /** Stores events without a user. @returns their ids, the newest first */
  async function seed(seeded: Seed): Promise<string[]> {
    const { type = 'login_failure', email = 'nobody@example.com', address = '192.0.2.1', agent = '' } = seeded;
    const { count = 1, at = `now() - i * interval '1 minute'` } = seeded;
    const rows = await site.gateway.rows<{ id: string }>(
      `insert into audit_events (event_type, ip_address, user_agent, metadata, created_at)
       select $1, $2, $3, jsonb_build_object('reason', 'invalid_credentials', 'email', $4::text), ${at}
       from generate_series(1, $5) i returning id`,
      [type, address, agent, email, count],
    );
    return rows.map(({ id }) => id);
  }

  async function open(query: Record<string, string>, looks: Looks = {}, role: 'admin' | 'analyst' = 'analyst') {
    const opened = await openConsole(site, role, `${PATH}?${new URLSearchParams(query)}`, looks);
    await expectHeading(opened.page, 'Audit log');
    return opened;
  }

  const log = (page: Page) => page.getByRole('list', { name: 'Events of the audit log' });
  const rows = (page: Page) => log(page).locator('.event');
  const showsRows = (page: Page, count: number) =>
    until(`${count} events are shown`, async () => (await rows(page).count()) === count);
  const total = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
  const chips = (page: Page) => page.getByRole('list', { name: 'Filters' }).locator('.chip');
  const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
  const FOCUSED = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent';

  test('Interface 19: chips of filters are removed one by one, by keyboard, and the focus is never lost', async () => {
    const [email, address] = ['chips@example.com', '192.0.2.10'];
    await seed({ email, address, count: 2 });
    await seed({ email, type: 'password_reset_requested' });
    await seed({ address, email: 'another@example.com' });
    const { page, wrong, close } = await open({
      eventTypes: 'login_failure,account_locked',
      email,
      ipAddress: address,
    });
    await showsRows(page, 2);
    await total(page, '2 events');
    expect(await chips(page).allInnerTexts()).toEqual([
      expect.stringContaining('Event: Login failed'),
      expect.stringContaining('Event: Login refused: locked'),
      expect.stringContaining(`E-mail: ${email}`),
      expect.stringContaining(`Address: ${address}`),
    ]);
    await page.getByRole('button', { name: 'Remove the filter Event: Login failed' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('No event matches these filters.').waitFor();
    expect(queryOf(page)).toEqual({ eventTypes: 'account_locked', email, ipAddress: address });
    expect(await page.evaluate(FOCUSED)).toBe('Remove the filter Event: Login refused: locked');
    await page.keyboard.press('Enter');
    await showsRows(page, 2);
    expect(await page.evaluate(FOCUSED)).toBe(`Remove the filter E-mail: ${email}`);
    await page.keyboard.press('Space');
    await showsRows(page, 3);
    expect(queryOf(page)).toEqual({ ipAddress: address });
    await page.reload();
    await showsRows(page, 3);
    await page.getByRole('button', { name: 'Remove the filter Address' }).focus();
    await page.keyboard.press('Enter');
    await until('no chip is left', async () => (await chips(page).count()) === 0);
    await expectFocus(page, 'e.textContent', 'Filter');
    await page.goBack();
    await showsRows(page, 3);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: filters are added by the form, and all of them can be removed at once', async () => {
    const email = 'form@example.com';
    await seed({ email, count: 3, at: `timestamptz '2026-01-02 10:00Z' + i * interval '1 hour'` });
    await seed({ email, type: 'password_reset_requested', at: `timestamptz '2026-01-02 10:00Z'` });
    const { page, wrong, close } = await open({});
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const add = async (field: string, value: string): Promise<void> => {
      await page.getByLabel('Filter by').selectOption(field);
      const control = page.getByLabel(field, { exact: true });
      if (field === 'Event') await control.selectOption(value);
      else await control.fill(value);
      await page.getByRole('button', { name: 'Add filter' }).click();
    };
    await add('E-mail', email);
    await showsRows(page, 4);
    await add('Event', 'Login failed');
    await showsRows(page, 3);
    await add('Event', 'Passwords: all of these');
    await showsRows(page, 4);
    const local = await page.evaluate<string>(
      `(() => { const at = new Date('2026-01-02T12:00Z'); at.setMinutes(-at.getTimezoneOffset() + at.getMinutes()); return at.toISOString().slice(0, 16); })()`,
    );
    await add('Since', local);
    await showsRows(page, 2);
    expect(queryOf(page)).toMatchObject({ email, since: '2026-01-02T12:00:00.000Z' });
    await add('Until', local);
    await page.getByText('Until must be later than since').waitFor();
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    await until('no filter is left', () => Object.keys(queryOf(page)).length === 0);
    await log(page).waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: every name of a filter in the query finds what GraphQL finds, with names next to ids', async () => {
    const user = await site.gateway.user({ role: 'viewer' });
    const token = accessTokenOf(await login(site.gateway, user.email));
    const sid = String(claimsOf(token)['sid']);
    const { page, email, id, wrong, close } = await open({}, {}, 'admin');
    await site.gateway.rows(
      `insert into audit_events (event_type, user_id, ip_address, metadata, created_at)
       values ('user_unlocked', $1, '192.0.2.77', jsonb_build_object('actor', jsonb_build_object('caller_type', 'user', 'sub', $2::text)), now())`,
      [user.id, id],
    );
    for (const [query, rows, words] of [
      [{ userId: user.id }, 3, `User: ${user.email}`],
      [{ entityId: user.id }, 3, `Id: ${user.email}`],
      [{ actorId: id }, 1, `Done by: ${email}`],
      [{ sessionId: sid }, 1, `Session id: …${sid.slice(-12)} of ${user.email}`],
      [{ ipAddress: '192.0.2.77' }, 1, 'Address: 192.0.2.77'],
    ] as const) {
      await page.goto(`${site.edge.url}${PATH}?${new URLSearchParams(query)}`);
      await showsRows(page, rows);
      await until(`a chip says ${words}`, async () => (await chips(page).innerText()).includes(words));
    }
    expect(wrong).toEqual([]);
    await close();
  });

  test.each([
    [{ eventTypes: 'login_failure,no_such_type' }, 'There is no such event type: no_such_type'],
    [{ since: 'yesterday' }, 'Since is not a time: yesterday'],
    [{ userId: '42' }, 'User is not a UUID: 42'],
    [{ since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'Until must be later than since'],
    [{ email: 'a\0b' }, 'NUL'],
  ])('Interface 19: the wrong filter %j is explained, and can be removed', async (query, text) => {
    const { page, wrong, close } = await open(query);
    await page.getByRole('alert').getByText(text).first().waitFor();
    expect(await log(page).count()).toBe(0);
    while ((await chips(page).count()) > 0) await chips(page).getByRole('button').last().click();
    await log(page).waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: 120 events come page by page, with their number', async () => {
    const email = 'many@example.com';
    await seed({ email, count: 120, at: `now() - i * interval '1 second'` });
    const { page, wrong, close } = await open({ email });
    await showsRows(page, 50);
    await total(page, '120 events');
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await showsRows(page, 100);
    await expectFocus(page, 'e.textContent', 'Show more');
    await page.keyboard.press('Enter');
    await showsRows(page, 120);
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await expectFocus(page, '[...e.parentElement.children].indexOf(e)', 100); // the first of the last page
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: new events wait behind a button, and nothing moves until it is pressed', async () => {
    const email = 'news@example.com';
    await seed({ email, count: 60 });
    const { page, wrong, close } = await open({ email });
    await showsRows(page, 50);
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Show more' }).click();
    await showsRows(page, 60);
    const first = () => rows(page).first().boundingBox();
    const place = await first();
    await login(site.gateway, email, WRONG, { 'user-agent': FIREFOX });
    await login(site.gateway, email, WRONG, { 'user-agent': FIREFOX });
    await page.clock.fastForward(POLL_MS);
    const news = page.getByRole('button', { name: '2 new events' });
    await news.waitFor();
    expect(await rows(page).count()).toBe(60);
    expect(await first()).toEqual(place);
    await news.focus();
    await page.keyboard.press('Enter');
    await showsRows(page, 62);
    await total(page, '62 events');
    expect(await rows(page).first().innerText()).toContain('Firefox 143');
    await until('the heading has the focus', async () => (await page.evaluate(FOCUSED)) === 'Events');
    await news.waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: of more new events than a page, the newest are shown', async () => {
    const email = 'flood@example.com';
    await seed({ email, count: 1, at: `now() - interval '1 hour'` });
    const { page, close } = await open({ email });
    await showsRows(page, 1);
    await page.clock.install();
    await page.reload();
    await showsRows(page, 1);
    await seed({ email, count: 130, at: `now() - i * interval '1 second'` });
    await page.clock.fastForward(POLL_MS);
    await page.getByRole('button', { name: '100 or more new events' }).click();
    await showsRows(page, 50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await showsRows(page, 100);
    await total(page, '131 events');
    await close();
  });

  test('Interface 19: the plot leads to the events of one bar, by mouse and by its table', async () => {
    const email = 'plot@example.com';
    await seed({ email, count: 3, at: `timestamptz '2026-01-05 12:00Z' + i * interval '1 minute'` });
    await seed({ email, type: 'login_success', count: 2, at: `timestamptz '2026-01-05 15:30Z'` });
    await seed({ email, type: 'logout', count: 1, at: `timestamptz '2026-01-05 15:30Z'` });
    const range = { since: '2026-01-05T00:00:00.000Z', until: '2026-01-06T00:00:00.000Z' };
    const { page, wrong, close } = await open({ email, ...range });
    await page.getByRole('heading', { name: 'Events by hour' }).waitFor();
    await showsRows(page, 6);
    await page.locator('.plot svg .bar-accent').last().click();
    await showsRows(page, 3);
    expect(queryOf(page)).toEqual({ email, since: '2026-01-05T15:00:00.000Z', until: '2026-01-05T16:00:00.000Z' });
    await page.getByRole('heading', { name: 'Events by minute' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Events by hour' }).waitFor();
    await page.getByText('The numbers as a table').focus();
    await page.keyboard.press('Enter');
    const cell = page.getByRole('table', { name: 'Events by hour' }).getByRole('link', { name: /^3 refusals/ });
    await cell.focus();
    await page.keyboard.press('Enter');
    await showsRows(page, 3);
    expect(queryOf(page)).toMatchObject({
      eventTypes: 'login_failure,account_locked,password_change_failed',
      since: '2026-01-05T12:00:00.000Z',
    });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: if the gateway does not count, the log is shown all the same', async () => {
    const email = 'uncounted@example.com';
    await seed({ email });
    const { page, close } = await open({ email });
    await page.route('**/graphql', (route) => {
      if (!route.request().postData()?.includes('auditCounts')) return route.continue();
      const errors = [{ message: 'Reading took too long', extensions: { code: 'OPERATION_TOO_COSTLY' } }];
      return route.fulfill({ json: { data: null, errors } });
    });
    await page.reload();
    await page.getByRole('alert').getByText('Reading took too long.').waitFor();
    await showsRows(page, 1);
    await close();
  });

  test('Interface 19: the story of a stolen session: login, refreshes in one step, theft, and what it means', async () => {
    const user = await site.gateway.user({ role: 'viewer' });
    const answer = await login(site.gateway, user.email, undefined, { 'user-agent': FIREFOX });
    const sid = String(claimsOf(accessTokenOf(answer))['sid']);
    const first = refreshTokenOf(answer) ?? '';
    let token = first;
    for (let i = 0; i < 5; i += 1) {
      token = refreshTokenOf(await refresh(site.gateway, token, { 'user-agent': FIREFOX })) ?? '';
    }
    await refresh(site.gateway, first, { 'user-agent': 'curl/8' });
    const { page, wrong, close } = await open({ sessionId: sid }, {}, 'admin');
    const steps = page.locator('ol.steps > li');
    await until('there are three steps', async () => (await steps.count()) === 3);
    await steps.last().waitFor(); // until they are shown they have no text
    expect(await steps.allInnerTexts()).toEqual([
      expect.stringMatching(/^Login.*Firefox 143 on Linux/s),
      expect.stringMatching(/^5 refreshes .* to /),
      expect.stringMatching(/^Token theft.*already been used.*curl/s),
    ]);
    await page.getByText('ended by a token theft').waitFor();
    expect(await page.getByRole('button', { name: 'End session' }).count()).toBe(0);
    await showsRows(page, 2);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an administrator ends a live session; an analyst only reads its story', async () => {
    const user = await site.gateway.user({ role: 'viewer' });
    const sid = String(claimsOf(accessTokenOf(await login(site.gateway, user.email)))['sid']);
    const reader = await open({ sessionId: sid });
    await reader.page.getByText('live', { exact: true }).waitFor();
    expect(await reader.page.getByRole('button', { name: 'End session' }).count()).toBe(0);
    await reader.close();

    const { page, wrong, close } = await open({ sessionId: sid }, {}, 'admin');
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('dialog').getByText(`Ends 1 session of ${user.email}`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
    await page.getByText('ended by its user or an administrator').waitFor();
    await page.getByRole('status').getByText(`The session of ${user.email} has ended.`).waitFor();
    await log(page).getByText('ended a session of').waitFor();
    await expectFocus(page, 'e.localName', 'h2');
    const live = await site.gateway.rows('select from refresh_tokens where family_id = $1 and not revoked', [sid]);
    expect(live).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a session that is not stored is said to be, and events that name it are shown', async () => {
    const id = '01a2135c-0000-7000-8000-00000000dead';
    await site.gateway.rows(
      `insert into audit_events (event_type, ip_address, metadata) values ('session_revoked', 'cli', $1)`,
      [{ family_id: id, actor: { caller_type: 'cli' } }],
    );
    const { page, wrong, close } = await open({ sessionId: id });
    await page.getByText('This session is not stored, or no longer').waitFor();
    await showsRows(page, 1);
    expect(wrong).toEqual([]);
    await close();
  });

  /** Clicks and reads the file. */
  async function exported(page: Page, button: string): Promise<{ name: string; text: string }> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  }

  const idsOf = (csv: string): Array<string | undefined> => {
    const [header = [], ...rows] = readCsv(csv);
    return rows.map((cells) => cells[header.indexOf('id')]);
  };

  /** What the page asks for an export, one after the other. */
  async function onPages(page: Page, answer: (route: Route, asked: number) => Promise<unknown>): Promise<void> {
    let asked = 0;
    await page.route('**/graphql', (route) => {
      if (!route.request().postData()?.includes('ExportEvents')) return route.continue();
      asked += 1;
      return answer(route, asked);
    });
  }

  test('Interface 19: what is found is exported as CSV, whose cells are harmless, and as JSON lines', async () => {
    const email = '=hyperlink("http://evil.example";"a, b")@example.com';
    const ids = await seed({ email, agent: '@SUM(1)\r\n"', count: 3 });
    const { page, wrong, close } = await open({ email });
    await showsRows(page, 3);
    const csv = await exported(page, 'Export all as CSV');
    expect(csv.name).toMatch(/^audit-log-\d{4}-\d\d-\d\dT[\d-]+Z\.csv$/);
    await page.getByRole('status').getByText(`${csv.name} has all 3 events.`).waitFor();
    const [header = [], ...rows] = readCsv(csv.text);
    const column = (name: string) => rows.map((cells) => cells[header.indexOf(name)]);
    expect(column('id')).toEqual(ids);
    expect(column('user_agent')).toEqual(Array(3).fill(`'@SUM(1)\r\n"`));
    expect(column('metadata').map((text) => JSON.parse(text ?? '').email)).toEqual(Array(3).fill(email));
    const lines = (await exported(page, 'Export all as JSON lines')).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      ids.map((id) => ({ id, eventType: 'login_failure', metadata: { email }, userAgent: '@SUM(1)\r\n"' })),
    );
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an export has all that its filter finds, through an expired token, a limit and an outage', async () => {
    const email = 'all-of-it@example.com';
    const ids = await seed({ email, count: 405 });
    const { page, close } = await open({ email });
    await page.clock.install();
    await page.reload();
    await showsRows(page, 50);
    await total(page, '405 events');
    const refused: string[] = [];
    await onPages(page, async (route, asked) => {
      if (asked === 2) {
        refused.push('expired');
        return route.fulfill({
          status: 401,
          headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
          json: {},
        });
      }
      if (asked === 4) {
        refused.push('limit');
        const errors = [{ message: 'Too many requests', extensions: { code: 'RATE_LIMITED' } }];
        return route.fulfill({ status: 429, json: { errors } });
      }
      if (asked === 6) {
        refused.push('outage');
        return route.abort();
      }
      return route.continue();
    });
    const file = exported(page, 'Export all as CSV');
    for (const [text, refusal] of [
      ['answering too many of your requests at once. Trying again.', 'limit'],
      ['The gateway does not answer. Trying again.', 'outage'],
    ] as const) {
      await page.getByRole('status').getByText(text).waitFor();
      expect(refused.at(-1)).toBe(refusal);
      await page.getByRole('progressbar', { name: 'Exported events' }).waitFor();
      await page.clock.fastForward(5_000);
    }
    const { name, text } = await file;
    expect(idsOf(text)).toEqual(ids);
    expect(refused).toEqual(['expired', 'limit', 'outage']);
    await page.getByRole('status').getByText(`${name} has all 405 events.`).waitFor();
    await close();
  });

  test('Interface 19: an export that cannot go on says how far it came, and goes on from there or is cancelled', async () => {
    const email = 'stopped@example.com';
    const ids = await seed({ email, count: 200 });
    const { page, close } = await open({ email });
    await showsRows(page, 50);
    const downloads: string[] = [];
    page.on('download', (file) => downloads.push(file.suggestedFilename()));
    let isBroken = true;
    await onPages(page, async (route, asked) => {
      if (asked === 1 || !isBroken) return route.continue();
      const errors = [{ message: 'Reading took too long', extensions: { code: 'OPERATION_TOO_COSTLY' } }];
      return route.fulfill({ json: { data: null, errors } });
    });
    await page.getByRole('button', { name: 'Export all as CSV' }).click();
    await page.getByText('Reading took too long. The export stopped after 90 events; no file was written.').waitFor();
    await page.getByText('90 of 200 events').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The export was cancelled after 90 events. No file was written.').waitFor();
    await expectFocus(page, 'e.textContent', 'Export all as CSV');
    expect(downloads).toEqual([]);
    await page.unroute('**/graphql');
    await onPages(page, async (route, asked) => {
      if (asked === 1 || !isBroken) return route.continue();
      return route.fulfill({ json: { data: { auditEvents: null }, errors: [{ message: 'No' }] } });
    });
    await page.getByRole('button', { name: 'Export all as CSV' }).click();
    await page.getByText('The export stopped after 90 events').waitFor();
    isBroken = false;
    expect(idsOf((await exported(page, 'Go on')).text)).toEqual(ids);
    expect(downloads).toHaveLength(1);
    await close();
  });

  test('Interface 19: an export has at most the newest 100,000 events, says so in its name, and names the command', async () => {
    const email = 'masses@example.com';
    await seed({ email, count: 10_001, at: `timestamptz '2026-01-01' - i * interval '1 s'` });
    const { page, wrong, close } = await open({ email, since: '2020-01-01T00:00:00Z' });
    await total(page, '10,000 events or more');
    let sent = 0;
    let first = { data: { auditEvents: { nodes: [] as unknown[] } } };
    await onPages(page, async (route, count) => {
      if (count === 1) first = await (await route.fetch()).json();
      const { auditEvents } = first.data;
      // As if the log went on like this for ever, in larger pages than it has, so that the test is quick
      const nodes = Array.from({ length: 10 }, () => auditEvents.nodes)
        .flat()
        .slice(0, 100_000 - sent);
      sent += nodes.length;
      return route.fulfill({ json: { data: { auditEvents: { ...auditEvents, nodes } } } });
    });
    const { name, text } = await exported(page, 'Export all as CSV');
    expect(name).toMatch(/-newest-100000\.csv$/);
    expect(text.split('\r\n')).toHaveLength(1 + 100_000 + 1);
    await page
      .getByText(
        `has the newest 100,000 events, and there are more. For all of them run: auth-gateway audit export --since 2020`,
      )
      .waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide: what strangers choose is shown as text',
    async (scheme, width) => {
      const hostile = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(200)}@example.com`;
      await seed({ email: hostile, agent: `<script>alert(1)</script>${'y'.repeat(487)}`, address: '192.0.2.66' });
      const { page, wrong, close } = await open({ email: hostile }, { scheme, width });
      await log(page).getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await page.locator('img, script[src=""]').count()).toBe(0);
      const plot = page.locator('.plot > summary');
      if (width === 360) await plot.click();
      await page.getByText('The numbers as a table').click();
      expect(await lookAt(page)).toEqual(GOOD);
      await log(page).getByRole('button', { name: 'Details' }).first().press('Enter');
      await log(page).getByText('JSON', { exact: true }).click();
      await page.getByRole('button', { name: /^Filter/ }).click();
      await log(page).getByRole('button', { name: 'Show all' }).first().click();
      expect(await lookAt(page)).toEqual(GOOD);
      await page.goto(`${site.edge.url}${PATH}?eventTypes=${encodeURIComponent(hostile)}`);
      await page.getByRole('alert').getByText('There is no such event type').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );

  test.each(LOOKS)(
    'Interface 19: %s, %i pixels wide: axe finds nothing in a story and in an empty log',
    async (scheme, width) => {
      const { page, id, wrong, close } = await open({ email: 'never@example.com' }, { scheme, width }, 'admin');
      await page.getByText('No event matches these filters.').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      const [session] = await site.gateway.rows<{ family_id: string }>(
        'select family_id from refresh_tokens where user_id = $1',
        [id],
      );
      await page.goto(`${site.edge.url}${PATH}?sessionId=${session?.family_id}`);
      await page.locator('ol.steps > li').first().waitFor();
      await showsRows(page, 1);
      await page.getByRole('button', { name: 'End session' }).click();
      await page.getByText('It is the one of this page').waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    },
  );
});

function accessTokenOf(answer: Answer): string {
  return answer.json.access_token;
}
