/** At every width each view fits, and what is clicked is large enough; a notice covers nothing of it. (Interface 19) */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { createWebhook } from '../../../src/admin/webhooks.js';
import { claimsOf, refreshTokenOf, type TestGateway } from '../../support/gateway/gateway.js';
import { newApiKey, newCronKey } from '../../support/gateway/graphql.js';
import { login, logout, refresh, WRONG } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { faultsIn, TARGET, TARGET_OF_FINGERS } from '../fits.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, logIn, openAlone, startConsole } from './console.js';

const WIDTHS = [320, 360, 414, 600, 768, 1024, 1100, 1280, 1360, 1920];
const PHONES = [320, 360, 414];

/** 254 characters, the longest that the gateway takes */
const LONG_EMAIL = `${'m'.repeat(64)}@${`${'w'.repeat(58)}.`.repeat(3)}example.com`;
const WIDE_EMAIL = `${'W'.repeat(12)}@example.com`; // not broken into lines, if that can be helped
const AGENTS = [`<b>${'x'.repeat(500)}`, 'word '.repeat(100), '\u202e'.repeat(200), 'm'.repeat(512)];

/** Opens all that can be opened in the view. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('details').forEach((e) => { e.open = true; })`);
  await until('nothing is cut short', () => page.evaluate<boolean>(SHOW_ALL));
}

const SHOW_ALL = `(() => {
  const cut = [...document.querySelectorAll('main button')].filter((e) => /^Show all( \\d+)?$/.test(e.textContent));
  for (const button of cut) button.click();
  return cut.length === 0;
})()`;

async function expectFits(page: Page, what: string): Promise<void> {
  const isTouched = await page.evaluate<boolean>(`matchMedia('(pointer: coarse)').matches`);
  const found: string[] = [];
  for (const width of isTouched ? PHONES : WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const faults = await faultsIn(page, isTouched ? TARGET_OF_FINGERS : TARGET);
    found.push(...faults.slice(0, 6).map((fault) => `${what}, ${width}: ${fault}`));
  }
  for (const width of isTouched ? [] : [640, 1280]) {
    // Texts of double size, as people set it in their browser
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`document.documentElement.style.fontSize = '30px'`);
    found.push(...(await faultsIn(page, TARGET)).slice(0, 6).map((fault) => `${what}, ${width}, large: ${fault}`));
    await page.evaluate(`document.documentElement.style.fontSize = ''`);
  }
  expect(found).toEqual([]);
}

interface Person {
  id: string;
  email: string;
}

/** Everything that a view can show, with long and hostile texts. @returns a session that was stolen */
async function fill(gateway: TestGateway, people: readonly Person[]): Promise<string> {
  const [ada] = people as [Person];
  let sid = '';
  for (const { email } of people) {
    for (const agent of AGENTS) {
      const answer = await login(gateway, email, undefined, { 'user-agent': encodeURI(agent).slice(0, 600) });
      const token = refreshTokenOf(answer) ?? '';
      await refresh(gateway, token);
      sid = String(claimsOf(answer.json.access_token)['sid']);
      await refresh(gateway, token);
    }
    await login(gateway, email);
    const ended = refreshTokenOf(await login(gateway, email)) ?? '';
    await logout(gateway, ended);
    await refresh(gateway, ended);
  }
  for (const agent of AGENTS) {
    await gateway.rows(
      `insert into audit_events (event_type, ip_address, user_agent, metadata)
       select type, '2001:db8:1111:2222:3333:4444:5555:6666', $1::text, jsonb_build_object('email', $2::text, 'reason', $1::text, 'note', repeat('n', 300))
       from unnest(array['login_failure', 'password_reset_requested']) as type`,
      [agent, `${agent.slice(0, 180)}@example.com`],
    );
    await gateway.rows(
      'update refresh_tokens set user_agent = $1 where jti in (select jti from refresh_tokens limit 5)',
      [agent],
    );
  }
  for (let i = 0; i < 3; i += 1) {
    const scopes = ['users:read', 'users:write', 'sessions:write', 'audit:read', 'keys:read', 'keys:write'];
    await newApiKey(gateway, scopes);
    await newCronKey(gateway, scopes);
  }
  await gateway.rows(
    `update api_keys set service_name = repeat('s', 100) where key_id = (select key_id from api_keys limit 1)`,
  );
  for (const eventTypes of [
    null,
    ['login_failure', 'token_theft', 'webhook_secret_rotated', 'user_deleted', 'logout', 'keyring_rotated'],
  ]) {
    const url = `https://hooks.example.com/${'p'.repeat(900)}`;
    await createWebhook(gateway.app, COMMAND_LINE, { url, eventTypes, includeEmails: true });
  }
  const { email } = await gateway.user();
  for (let i = 0; i < 6; i += 1) await login(gateway, email, WRONG);
  for (const name of ['Laptop', 'W'.repeat(100)]) {
    await gateway.rows(
      `insert into factors (id, user_id, kind, name, created_at, credential_id, user_handle, public_key, sign_count, transports, is_synced)
       select gen_random_uuid(), id, 'passkey', $1, now(), uuid_send(gen_random_uuid()), 'x', 'x', 0, '{}', true from users where id = any($2)`,
      [name, people.map(({ id: person }) => person)],
    );
  }
  await gateway.rows(`update users set locked_until = '2100-01-01', is_active = false where id = $1`, [ada.id]);
  return sid;
}

/** Each view of `pages/console/views.ts` by its name */
const viewsOf = (id: string, sid: string): Record<string, string[]> => ({
  Overview: ['/console/', '/console/?span=7d'],
  Users: ['/console/users', `/console/users?search=${'q'.repeat(200)}`],
  User: [`/console/users/${id}`, `/console/users/${id}?sessions=ended`, '/console/users/none'],
  'Audit log': [
    '/console/audit',
    `/console/audit?${new URLSearchParams({ eventTypes: 'login_failure,account_locked', email: LONG_EMAIL, ipAddress: 'x'.repeat(200), since: '2026-01-01T00:00:00Z' })}`,
    `/console/audit?sessionId=${sid}`,
    `/console/audit?since=${'y'.repeat(300)}`,
  ],
  Sessions: ['/console/all-sessions', '/console/all-sessions?sessions=ended'],
  Keys: ['/console/keys'],
  Webhooks: ['/console/webhooks'],
  Gateway: ['/console/gateway'],
  'My sessions': ['/console/sessions', '/console/sessions?sessions=ended'],
});

test('Interface 19: every view is measured', () => {
  const text = readFileSync('pages/console/views.ts', 'utf8');
  expect([...text.matchAll(/ name: '([^']+)'/g)].map(([, name]) => name).toSorted()).toEqual(
    Object.keys(viewsOf('', '')).toSorted(),
  );
});

inChromium('in Chromium, the views of the console', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole({ env: { WEBHOOK_HOSTS: 'hooks.example.com', KNOWN_DEVICES: 'on' } });
  });
  afterAll(() => site?.close());

  /** A page with a mouse, and one for fingers, of somebody who has logged in. */
  async function pages(email: string): Promise<Array<{ page: Page; close(): Promise<void> }>> {
    const touched = await site.browser.newContext({
      hasTouch: true,
      isMobile: true,
      viewport: { width: 360, height: 740 },
    });
    const phone = await touched.newPage();
    await phone.goto(`${site.edge.url}/console/`);
    const { page, close } = await openAlone(site);
    for (const each of [page, phone]) {
      await expectFits(each, 'login');
      await logIn(each, email);
    }
    return [
      { page, close },
      { page: phone, close: () => touched.close() },
    ];
  }

  async function expectAllFit(page: Page, views: Record<string, string[]>): Promise<void> {
    for (const [name, paths] of Object.entries(views)) {
      for (const path of paths) {
        await page.goto(`${site.edge.url}${path}`);
        await page.locator('main h1').waitFor();
        await page.locator('[aria-busy="true"], .loading').first().waitFor({ state: 'detached' });
        if (name === 'Gateway') await page.getByText(/checks? (is|are) fine/).waitFor();
        await openAll(page);
        await expectFits(page, path);
      }
    }
  }

  test('Interface 19: fit while nothing has happened', async () => {
    const { id, email } = await site.gateway.user({ role: 'admin' });
    await site.gateway.rows('delete from audit_events');
    for (const { page, close } of await pages(email)) {
      await expectAllFit(page, viewsOf(id, id));
      await close();
    }
  });

  test('Interface 19: fit with long and hostile texts', async () => {
    const admin = await site.gateway.user({ role: 'admin', email: LONG_EMAIL });
    const people = [await site.gateway.user({ email: WIDE_EMAIL }), admin];
    const sid = await fill(site.gateway, [people[0] as Person, admin]);
    for (const { page, close } of await pages(LONG_EMAIL)) {
      await expectAllFit(page, viewsOf(admin.id, sid));
      await expectAllFit(page, { User: [`/console/users/${people[0]?.id}`] });
      for (const [path, button] of [
        ['/console/users', 'Invite user'],
        ['/console/users', 'Invite many'],
        ['/console/users', 'Import'],
        ['/console/keys', 'Create an API key'],
        ['/console/webhooks', 'Create a webhook'],
        [`/console/users/${people[0]?.id}`, 'End all sessions'],
        ['/console/sessions', 'Add an authenticator app'],
        ['/console/sessions', 'Remove'],
      ] as const) {
        await page.goto(`${site.edge.url}${path}`);
        await page.getByRole('button', { name: button }).first().click();
        await page.getByRole('dialog').waitFor();
        const some = page.getByLabel('Only these');
        if ((await some.count()) > 0) await some.check();
        await expectFits(page, button);
      }
      await close();
    }
  });

  test.each([320, 360, 768, 1280])(
    'Interface 19: %i pixels wide: a notice covers nothing that can be clicked',
    async (width) => {
      const { email } = await site.gateway.user({ role: 'admin' });
      for (let i = 0; i < 3; i += 1) await login(site.gateway, email);
      const { page, close } = await openAlone(site, '/console/sessions', { width });
      await logIn(page, email);
      await expectHeading(page, 'My sessions');
      await page.getByRole('button', { name: 'End all other sessions' }).click();
      await page.getByRole('button', { name: 'End them' }).click();
      const notice = page.locator('.announcements p');
      await notice.waitFor();
      const edge = await page.evaluate(
        `(({ top, bottom }) => [top, bottom].indexOf('auto'))(document.querySelector('.announcements').style)`,
      );
      expect(edge).toBe(width < 640 ? 1 : 0); // placed from the top on phones, else from the bottom
      for (const top of [0, 150, 400, 10_000]) {
        await page.evaluate(`scrollTo(0, ${top})`);
        await until(`nothing is below it, scrolled to ${top}`, () => page.evaluate<boolean>(IS_FREE));
      }
      await close();
    },
  );
});

const IS_FREE = `(() => {
  const notice = document.querySelector('.announcements p').getBoundingClientRect();
  return ![...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .map((e) => e.getBoundingClientRect())
    .some((e) => e.width > 1 && e.right > notice.left && e.left < notice.right && e.bottom > notice.top && e.top < notice.bottom);
})()`;
