/** Events of the audit log in words, found by person, and since the last visit. (Interface 19) */
import type { Page } from 'playwright-core';
import { ENTITY_OF } from '../../../src/audit/events.js';
import { login, WRONG } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, GOOD, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/audit';
const USER = 'told@example.com';
const FROM = 'from 192.0.2.7';
const key_id = 'ak_0123456789abcdefghij';
const webhook_id = '01a2135c-0000-7000-8000-00000000feed';

/** Each type with metadata, and its sentence; `A` is made by an administrator, whose e-mail is `A` in the sentence. */
const TOLD: Array<[type: string, metadata: Record<string, unknown>, sentence: string]> = [
  ['login_success', { role: 'viewer', factor: 'totp' }, `U logged in with an authenticator app ${FROM}`],
  ['login_failure', { reason: 'invalid_credentials' }, `Login refused for U: wrong password ${FROM}`],
  ['account_locked', { by: 'device' }, `Login refused for U: locked for this device alone ${FROM}`],
  ['token_theft', {}, `Token theft from U: a used token came again, so its session was ended ${FROM}`],
  ['token_theft', { ended_by: 'logout' }, `Ended session used again, of U: it had ended by a logout ${FROM}`],
  ['logout', { jti: 'x' }, `U logged out ${FROM}`],
  ['session_revoked', { actor: 'A' }, 'A ended a session of U'],
  ['session_confirmed', { factor: 'passkey' }, `U confirmed who they are with a passkey ${FROM}`],
  ['device_forgotten', { actor: 'A' }, 'A made the gateway forget a device of U'],
  ['factor_added', { kind: 'passkey' }, `U added a passkey as a second factor ${FROM}`],
  ['factor_removed', { kind: 'totp' }, `U removed an authenticator app as a second factor ${FROM}`],
  [
    'factors_reset',
    { actor: 'A', factors: 2, sessions_ended: 1 },
    'A reset the second factors of U: 2 factors removed, 1 session ended',
  ],
  ['recovery_code_used', { left: 9 }, `U logged in with a recovery code: 9 left ${FROM}`],
  ['recovery_codes_renewed', {}, `U replaced their recovery codes ${FROM}`],
  ['password_change_failed', {}, `Password change refused for U: wrong current password ${FROM}`],
  ['password_reset_requested', {}, `Somebody asked to reset the password of U ${FROM}`],
  [
    'password_link_issued',
    { actor: 'A', purpose: 'invitation', mailed: true },
    'A issued an invitation for U, by mail',
  ],
  ['user_password_changed', { sessions_ended: 0 }, `U changed their password ${FROM}`],
  ['user_password_set', { by: 'link', purpose: 'reset' }, `U set a password by a link for a new password ${FROM}`],
  ['user_created', { actor: 'A', role: 'viewer' }, 'A created U as viewer'],
  ['user_role_changed', { actor: 'A', to: 'viewer', from: 'analyst' }, 'A changed the role of U: analyst → viewer'],
  ['user_email_changed', { actor: 'A', from: 'a@b.c', to: 'd@e.f' }, 'A changed the e-mail of U: a@b.c → d@e.f'],
  ['email_change_requested', { to: 'd@e.f' }, `U asked to change their e-mail to d@e.f ${FROM}`],
  ['email_changed', { from: 'a@b.c', to: 'd@e.f' }, `U changed their e-mail: a@b.c → d@e.f ${FROM}`],
  ['email_change_undone', { from: 'a', to: 'b' }, `U took a change of their e-mail back: a → b ${FROM}`],
  ['notice_sent', { kind: 'new_login' }, `Notice to U: login from a new device ${FROM}`],
  ['user_activated', { actor: 'A' }, 'A activated U'],
  ['user_deactivated', { actor: 'A', sessions_ended: 3 }, 'A deactivated U: 3 sessions ended'],
  ['user_unlocked', { actor: 'A' }, 'A unlocked U'],
  ['user_deleted', { actor: 'A' }, 'A deleted U'],
  ['user_erased', { actor: 'A', events: 1 }, 'A erased U: 1 event changed'],
  [
    'api_key_created',
    { actor: 'A', key_id, service_name: 'billing', scopes: ['users:read', 'audit:read'] },
    'A created the API key billing with users:read, audit:read',
  ],
  [
    'api_key_rotated',
    { actor: 'A', key_id, overlap_seconds: 3600 },
    'A rotated the API key billing; the old secret works for 1 hour',
  ],
  ['api_key_revoked', { actor: 'A', key_id }, 'A revoked the API key billing'],
  ['cron_key_created', { actor: 'A', key_id, scopes: [] }, 'A created the cron key billing'],
  ['cron_key_rotated', { actor: 'A', key_id }, 'A rotated the cron key billing'],
  ['cron_key_revoked', { actor: 'A', key_id }, 'A revoked the cron key billing'],
  [
    'login_counts_cleared',
    { actor: 'A', ip_address: '192.0.2.7', cleared: 1 },
    'A cleared the login counts of 192.0.2.7',
  ],
  ['login_counts_cleared', { actor: 'A', ip_address: null, cleared: 3 }, 'A cleared the login counts of all addresses'],
  ['keyring_rotated', { actor: 'A', added: [], dropped: [] }, 'A rotated the signing keys'],
  ['webhook_created', { actor: 'A', webhook_id, host: 'hooks.example' }, 'A created the webhook hooks.example'],
  ['webhook_deleted', { actor: 'A', webhook_id }, 'A deleted the webhook hooks.example'],
  [
    'webhook_paused',
    { by: 'receiver', webhook_id },
    `The webhook hooks.example was paused: its receiver answered 410 Gone ${FROM}`,
  ],
  ['webhook_resumed', { actor: 'A', webhook_id }, 'A resumed the webhook hooks.example'],
  [
    'webhook_replayed',
    { actor: 'A', webhook_id, since: 'ever' },
    'A made the webhook hooks.example send all events since ever',
  ],
  [
    'webhook_secret_rotated',
    { actor: 'A', webhook_id, overlap_seconds: 60 },
    'A rotated the secret of the webhook hooks.example; the old one signs too for 1 minute',
  ],
];

inChromium('in Chromium, events in words', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  const rows = (page: Page) => page.getByRole('list', { name: 'Events of the audit log' }).locator('.event');
  const shows = (page: Page, count: number) =>
    until(`${count} events are shown`, async () => (await rows(page).count()) === count);
  const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

  test('Interface 19: each type of event is a sentence', async () => {
    expect([...new Set(TOLD.map(([type]) => type))].toSorted()).toEqual(Object.keys(ENTITY_OF).toSorted());
    const { page, email, id, wrong, close } = await openConsole(site, 'admin');
    const user = await site.gateway.user({ email: USER });
    await site.gateway.rows('delete from audit_events');
    for (const [type, metadata] of TOLD) {
      const actor = metadata['actor'] === 'A' ? { actor: { caller_type: 'user', sub: id } } : {};
      const entityType = ENTITY_OF[type as keyof typeof ENTITY_OF];
      await site.gateway.rows(
        `insert into audit_events (event_type, entity_type, user_id, ip_address, user_agent, metadata) values ($1, $2, $3, '192.0.2.7', '', $4)`,
        [type, entityType, entityType === 'user' ? user.id : null, { ...metadata, ...actor }],
      );
    }
    await page.goto(`${site.edge.url}${PATH}`);
    await shows(page, TOLD.length);
    const found = await rows(page).locator('.event-row p').allInnerTexts();
    expect(found.toReversed().map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual(
      TOLD.map(([, , sentence]) => sentence.replace(/\bU\b/, USER).replace(/^A\b/, email)),
    );
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an event of a newer gateway, whose type this page does not know, is shown by its name', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin');
    const user = await site.gateway.user();
    await site.gateway.rows('delete from audit_events');
    await site.gateway.rows(
      `insert into audit_events (event_type, entity_type, user_id, ip_address, user_agent, metadata)
       values ('login_failure', 'user', $1, '192.0.2.7', '', '{"moon_phase": "full"}')`,
      [user.id],
    );
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('subscription')) return route.continue();
      const response = await route.fetch();
      const body = await response.text();
      return route.fulfill({
        response,
        body: body.replaceAll('"eventType":"login_failure"', '"eventType":"user_landed"'),
      });
    });
    await page.goto(`${site.edge.url}${PATH}`);
    await shows(page, 1);
    const told = await rows(page).locator('.event-row p').innerText();
    expect(told.replaceAll(/\s+/g, ' ')).toBe(`user landed ${user.email}, moon phase: full ${FROM}`);
    await page.getByRole('button', { name: 'Details: user_landed' }).click();
    await page.locator('.event-details dt').filter({ hasText: 'Moon phase' }).waitFor();
    await page.goto(`${site.edge.url}/console/`);
    const failures = page.getByRole('table', { name: 'Last failures' });
    await failures.getByText('user_landed').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the details of an event open by keyboard, with codes, UTC, and JSON to copy', async () => {
    const email = 'details@example.com';
    await login(site.gateway, email, WRONG, { 'user-agent': 'odd/1' });
    const { page, wrong, close } = await openConsole(site, 'analyst', `${PATH}?email=${email}`);
    await shows(page, 1);
    const button = page.getByRole('button', { name: 'Details: Login failed' });
    await button.focus();
    await page.keyboard.press('Enter');
    const details = page.locator('.event-details');
    for (const text of ['wrong e-mail or password', 'invalid_credentials', 'odd/1', 'UTC'])
      await details.getByText(text).first().waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await details.getByText('JSON', { exact: true }).click();
    await details.getByRole('button', { name: 'Copy event' }).click();
    await details.getByText('Copied').waitFor();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    expect(copied).toMatchObject({ eventType: 'login_failure', userAgent: 'odd/1', metadata: { email } });
    expect(await lookAt(page)).toEqual(GOOD);
    await button.focus();
    await page.keyboard.press('Space');
    await details.waitFor({ state: 'detached' });
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a person is filtered by e-mail, and filters are saved and copied as a link', async () => {
    const user = await site.gateway.user({ email: 'chosen.person@example.com' });
    await login(site.gateway, user.email);
    const { page, wrong, close } = await openConsole(site, 'analyst', PATH);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Filter by').selectOption('User');
    const field = page.getByLabel('User', { exact: true });
    await field.fill('nobody-at-all');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('alert').getByText('No user, or more than one').waitFor();
    await field.fill('chosen.per');
    await page.locator(`datalist option[value="${user.email}"]`).waitFor({ state: 'attached' });
    expect(await lookAt(page)).toEqual(GOOD);
    await page.keyboard.press('Enter');
    await until('the id is in the address', () => queryOf(page)['userId'] === user.id);
    await page.getByRole('list', { name: 'Filters', exact: true }).getByText(user.email).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('status').getByText('The link to these filters is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
    await page.getByLabel('Save these filters as').fill('Chosen');
    await page.keyboard.press('Enter');
    const saved = page.getByRole('list', { name: 'Saved filters' });
    await saved.getByRole('link', { name: 'Chosen' }).waitFor();
    await page.goto(`${site.edge.url}${PATH}`);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await saved.getByRole('link', { name: 'Chosen' }).click();
    await until('the saved filter is set', () => queryOf(page)['userId'] === user.id);
    expect(await lookAt(page)).toEqual(GOOD);
    await saved.getByRole('button', { name: 'Forget the saved filters Chosen' }).click();
    await saved.waitFor({ state: 'detached' });
    await expectFocus(page, 'e.labels?.[0].textContent', 'Filter by');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: what came since the last visit is above a line, and on a phone the first event is in view', async () => {
    const email = 'visited@example.com';
    await login(site.gateway, email, WRONG);
    const { page, wrong, close } = await openConsole(site, 'analyst', `${PATH}?email=${email}`, { width: 360 });
    await page.setViewportSize({ width: 360, height: 740 });
    await shows(page, 1);
    expect(await page.getByText('New since your last visit').count()).toBe(0);
    const box = await rows(page).first().locator('.event-row').boundingBox();
    expect((box?.y ?? 740) + (box?.height ?? 0)).toBeLessThan(740);
    await login(site.gateway, email, WRONG);
    await page.reload();
    await shows(page, 2);
    expect(await rows(page).nth(1).innerText()).toMatch(/^New since your last visit/);
    await page.reload();
    await shows(page, 2);
    expect(await page.getByText('New since your last visit').count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });
});
