/** The view Keys: keys of services and of scheduled jobs are created, tried, rotated, revoked and found. (Interface 19) */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { createApiKey, rotateApiKey } from '../../../src/admin/api-keys.js';
import { OWN_SCOPES } from '../../../src/domain/scopes.js';
import { type As, ask, internalKey, newApiKey, newCronKey, signed } from '../../support/gateway/graphql.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { GOOD, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/keys';
const DAY_MS = 86_400_000;
/** 100 characters, as many as a name may have */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e'.padEnd(100, 'x');
const LONG_SCOPE = `${'r'.repeat(63)}:${'a'.repeat(63)}`;
const run = promisify(execFile);

inChromium('in Chromium, the view Keys of the console', () => {
  let site: Site;
  let folder: string;
  beforeAll(async () => {
    site = await startConsole();
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    const command = `#!/bin/sh\nexec '${process.execPath}' '${join(process.cwd(), 'dist/program/main.js')}' "$@"\n`;
    await writeFile(join(folder, 'auth-gateway'), command, { mode: 0o755 });
  });
  afterAll(async () => {
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command as a shell does that knows `auth-gateway`. */
  async function runInShell(command: string, stdin = ''): Promise<string> {
    const running = run('sh', ['-c', command], { cwd: folder, env: { PATH: `${folder}:${process.env['PATH']}` } });
    running.child.stdin?.end(stdin);
    return (await running).stdout;
  }

  async function copied(dialog: Locator, label: string): Promise<string> {
    await dialog.getByRole('button', { name: `Copy ${label}`, exact: true }).click();
    await dialog.getByText('Copied').first().waitFor();
    return dialog.page().evaluate<string>('navigator.clipboard.readText()');
  }

  async function statusOf(as: As): Promise<number> {
    return (await ask(site.gateway, as, '{ caller { callerType } }')).status;
  }

  const rowOf = (page: Page, keyId: string): Locator => page.getByRole('row').filter({ hasText: keyId });
  const dialogOf = (page: Page): Locator => page.getByRole('dialog');
  /** The focus moves a moment after what causes it. */
  const expectFocus = (page: Page, selector: string): Promise<void> => page.locator(`${selector}:focus`).waitFor();

  async function press(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click();
  }

  /** @returns the new secret */
  async function rotated(page: Page): Promise<string> {
    await press(page, 'Rotate');
    const secret = await copied(dialogOf(page), 'new secret');
    await press(page, 'Done');
    return secret;
  }

  test('Interface 19: an API key is created; the commands that are shown work, and the secret is shown once', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await press(page, 'Create an API key');
    const dialog = dialogOf(page);
    expect(await dialog.getByRole('group', { name: 'Scopes of the gateway' }).locator('code').allInnerTexts()).toEqual([
      ...OWN_SCOPES,
    ]);
    await dialog.getByLabel('Service', { exact: true }).fill(' billing ');
    await dialog.getByLabel('users:read').check();
    await dialog.getByLabel('gateway:read').check();
    await dialog.getByLabel('Scopes of other services').fill('invoices:read, users:read');
    await dialog.getByLabel('Requests per minute').fill('1200');
    await press(page, 'Create');
    await page.getByRole('status').getByText('The API key of billing is created.').waitFor();
    const secret = await copied(dialog, 'secret');
    const keyId = await copied(dialog, 'key id');
    const scopes = ['users:read', 'gateway:read', 'invoices:read'];
    expect(await site.gateway.rows('select * from api_keys where key_id = $1', [keyId])).toMatchObject([
      { service_name: 'billing', scopes, rate_limit: 1200 },
    ]);

    const byProgram = await runInShell(await copied(dialog, 'try it with the command line of the gateway'), secret);
    expect(byProgram).toContain('"callerType":"api_key"');
    await dialog.getByText('Try it with curl').click();
    const script = await copied(dialog, 'save as signed.sh');
    expect(script).toBe((await readFile('examples/services/signed.sh', 'utf8')).trimEnd());
    await writeFile(join(folder, 'signed.sh'), script);
    const answer = JSON.parse(await runInShell(await copied(dialog, 'run it')));
    expect(answer.data.caller).toMatchObject({ keyId, serviceName: 'billing', scopes, rateLimit: 1200 });

    await page.keyboard.press('Escape'); // what is shown once is not lost by that
    await dialog.getByText(secret).first().waitFor();
    await press(page, 'Done');
    await expectFocus(page, 'h2:text-is("API keys")');
    await rowOf(page, keyId).getByText('1,200 requests/min').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a cron key is created with an end, its command works, it is rotated, and once it is revoked it is refused', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await press(page, 'Create a cron key');
    const dialog = dialogOf(page);
    await dialog.getByLabel('Service', { exact: true }).fill('cleanup');
    await dialog.getByLabel('audit:read').check();
    await dialog.getByLabel('Expires').fill('2020-01-31');
    await press(page, 'Create');
    await dialog.getByRole('alert').getByText('The key must expire in the future').waitFor();
    await expectFocus(page, '[name=expiresAt]');
    await dialog.getByLabel('Expires').fill('2099-01-31');
    await press(page, 'Create');
    const first = await copied(dialog, 'value of the header x-internal-key');
    await press(page, 'Done');
    const keyId = first.split('.')[0] ?? '';
    await rowOf(page, keyId).getByText('Expires 31 Jan 2099').waitFor();
    await press(page, `Rotate ${keyId}`);
    await press(page, 'Rotate');
    const value = await copied(dialog, 'value of the header x-internal-key');
    expect([await statusOf(internalKey(first)), await statusOf(internalKey(value))]).toEqual([200, 200]);
    await writeFile(
      join(folder, 'cron-key.txt'),
      await copied(dialog, 'save as cron-key.txt, for the job alone to read'),
    );
    const answer = JSON.parse(await runInShell(await copied(dialog, 'try it')));
    expect(answer.data.caller).toEqual({ callerType: 'cron', scopes: ['audit:read'] });
    await press(page, 'Done');

    await press(page, `Revoke ${keyId}`);
    await dialog.getByText('Every request of cleanup').waitFor();
    await dialog.getByText(/The key was (last used on|never used)/).waitFor();
    await press(page, 'Revoke');
    await page.getByRole('status').getByText('The cron key of cleanup is revoked.').waitFor();
    await rowOf(page, keyId).waitFor({ state: 'detached' });
    await expectFocus(page, 'h2:text-is("Cron keys")');
    expect(await statusOf(internalKey(value))).toBe(401);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: what the gateway refuses is said at its field, and nothing is created', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await press(page, 'Create an API key');
    const dialog = dialogOf(page);
    await dialog.getByLabel('Service', { exact: true }).fill('wrong\u202e');
    await press(page, 'Create');
    await dialog.getByRole('alert').getByText('printable characters').waitFor();
    await expectFocus(page, '[name=serviceName]');
    await dialog.getByLabel('Service', { exact: true }).fill('wrong');
    await dialog.getByLabel('Scopes of other services').fill('Invoices');
    await press(page, 'Create');
    await dialog.getByRole('alert').getByText('resource:action in lower case').waitFor();
    await expectFocus(page, '[name=scopes]');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(page, 'button:text-is("Create an API key")');
    expect(await site.gateway.rows(`select from api_keys where service_name like 'wrong%'`)).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a rotation leaves two secrets; the next one has to end the older', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const { keyId, as: first } = await newApiKey(site.gateway);
    await page.reload();
    await press(page, `Rotate ${keyId}`);
    const dialog = dialogOf(page);
    expect(await dialog.getByLabel('End the older secret at once').count()).toBe(0);
    const second = signed(site.gateway, keyId, await rotated(page));
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    await rowOf(page, keyId).getByText('Two secrets until').waitFor();

    await press(page, `Rotate ${keyId}`);
    await dialog.getByText('Two secrets of this key are valid, the older one until').waitFor();
    await press(page, 'Rotate');
    await expectFocus(page, '[name=force]'); // it has to be ticked
    await dialog.getByLabel('End the older secret at once').check();
    await dialog.getByLabel('stays valid for 1 hour').check();
    const third = signed(site.gateway, keyId, await rotated(page));
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: if somebody else has rotated the key meanwhile, the dialog asks before it ends a secret', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const { keyId, as: first } = await newApiKey(site.gateway);
    await page.reload();
    await press(page, `Rotate ${keyId}`);
    const other = await rotateApiKey(site.gateway.app, COMMAND_LINE, keyId, { overlapSeconds: 60 });
    await press(page, 'Rotate');
    const dialog = dialogOf(page);
    await dialog.getByRole('alert').getByText('Nothing was changed: the key has two valid secrets').waitFor();
    expect(await statusOf(first)).toBe(200);
    await dialog.getByLabel('End the older secret at once').check();
    await rotated(page);
    expect([await statusOf(first), await statusOf(signed(site.gateway, keyId, other.secret))]).toEqual([401, 200]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: after a leak a rotation ends the current secret at once', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const { keyId, as: leaked } = await newApiKey(site.gateway);
    await page.reload();
    await press(page, `Rotate ${keyId}`);
    await dialogOf(page).getByLabel('ends at once').check();
    await press(page, 'Rotate');
    await dialogOf(page).getByText('Every earlier secret has ended.').waitFor();
    const fresh = signed(site.gateway, keyId, await copied(dialogOf(page), 'new secret'));
    expect([await statusOf(leaked), await statusOf(fresh)]).toEqual([401, 200]);
    await press(page, 'Done');
    await rowOf(page, keyId).getByText('Valid').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an API key is revoked; its id still finds it, with its history and its activity', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const { keyId, as } = await newApiKey(site.gateway);
    expect(await statusOf(as)).toBe(200);
    await page.getByRole('searchbox', { name: 'Search' }).fill(keyId);
    await page.getByRole('searchbox', { name: 'Search' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: `Key ${keyId}` }).waitFor();
    const found = page.getByRole('table', { name: 'The key that you looked for' });
    await found.getByRole('button', { name: `Revoke ${keyId}` }).click();
    await dialogOf(page).getByText('Every request of reports').waitFor();
    await press(page, 'Revoke');
    await page.getByRole('status').getByText('The API key of reports is revoked.').waitFor();
    expect(await statusOf(as)).toBe(401);
    await found.getByText('Revoked').waitFor();
    expect(await found.getByRole('button').count()).toBe(0);
    expect(await found.getByRole('link', { name: `History of ${keyId}` }).getAttribute('href')).toBe(
      `/console/audit?entityId=${keyId}`,
    );
    expect(await found.getByRole('link', { name: `Activity of ${keyId}` }).getAttribute('href')).toBe(
      `/console/audit?actorId=${keyId}`,
    );
    await press(page, 'Close');
    await found.waitFor({ state: 'detached' });
    await expectFocus(page, 'h1');

    await page.goto(`${site.edge.url}${PATH}?id=ak_0123456789ABCDEFGHIJ`);
    await page.getByText('There is no key with this id.').waitFor();
    const cron = await newCronKey(site.gateway);
    await page.goto(`${site.edge.url}${PATH}?id=${cron.keyId}`);
    await page.getByRole('table', { name: 'The key that you looked for' }).getByText('nightly').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: keys are filtered by state and service, in the address of the page', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    for (const serviceName of ['filtered', HOSTILE.replace('\u202e', '')]) {
      await createApiKey(site.gateway.app, COMMAND_LINE, { serviceName, scopes: [], rateLimit: 60 });
    }
    await site.gateway.rows(
      `insert into api_keys (key_id, service_name, scopes, rate_limit, sealed_secret, created_at, revoked_at)
       values ('ak_ended00000000000000', 'filtered', '{}', 60, '', now(), now())`,
    );
    const apiKeys = page.getByRole('region', { name: 'API keys' });
    const cronKeys = page.getByRole('region', { name: 'Cron keys' });
    await page.getByRole('search', { name: 'Keys' }).getByLabel('Service').fill('filtered');
    await page.keyboard.press('Enter');
    await apiKeys.getByRole('status').getByText('1 key', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?service=filtered');
    await cronKeys.getByText('No key has this state and this service.').waitFor();
    await page.getByLabel('State').selectOption('Revoked or expired');
    await rowOf(page, 'ak_ended00000000000000').waitFor();
    await page.getByLabel('State').selectOption('All');
    await apiKeys.getByRole('status').getByText('2 keys', { exact: true }).waitFor();
    await page.reload();
    await apiKeys.getByRole('status').getByText('2 keys', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?service=filtered&state=all');
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await until('no filter is left', () => new URL(page.url()).search === '');

    await page.getByRole('link', { name: HOSTILE.replace('\u202e', '') }).click();
    await apiKeys.getByRole('status').getByText('1 key', { exact: true }).waitFor();
    expect(await page.getByRole('search', { name: 'Keys' }).getByLabel('Service').inputValue()).toBe(
      HOSTILE.replace('\u202e', ''),
    );
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an analyst sees no keys', async () => {
    const { page, wrong, close } = await openConsole(site, 'analyst', PATH);
    await page.getByText('Your role (analyst) may not see this view.').waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).count()).toBe(0);
    expect(wrong).toEqual([]);
    await close();
  });

  describe('with no key, and with many', () => {
    let other: Site;
    beforeAll(async () => {
      other = await startConsole();
    });
    afterAll(() => other?.close());

    test.each(LOOKS)('Interface 19: %s, %i pixels wide, with no key: axe finds nothing', async (scheme, width) => {
      await other.gateway.rows('delete from api_keys');
      await other.gateway.rows('delete from cron_keys');
      const { page, wrong, close } = await openConsole(other, 'admin', PATH, { scheme, width });
      await page.getByText('No key yet.').nth(1).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await press(page, 'Create an API key');
      await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
      expect(await lookAt(page)).toEqual(GOOD);
      await dialogOf(page).getByLabel('Service', { exact: true }).fill('billing');
      await press(page, 'Create');
      await page.getByText('Try it with curl').click();
      expect(await lookAt(page)).toEqual(GOOD);
      expect(wrong).toEqual([]);
      await close();
    });

    test.each(LOOKS)(
      'Interface 19: %s, %i pixels wide, with many hostile keys: axe finds nothing, and all are shown page by page',
      async (scheme, width) => {
        await other.gateway.rows('delete from api_keys');
        await other.gateway.rows(
          `insert into api_keys (key_id, service_name, scopes, rate_limit, sealed_secret, previous_sealed_secret,
             previous_ends_at, created_at, last_used_at, revoked_at)
           select 'ak_' || lpad(i::text, 20, '0'), $1, array_fill($2::text, array[1 + i % 7]), 1000000, '',
             case i % 3 when 0 then '' end, case i % 3 when 0 then $3::timestamptz end, $4, $4, case i % 3 when 1 then $4::timestamptz end
           from generate_series(1, 60) i`,
          [HOSTILE, LONG_SCOPE, new Date(Date.now() + DAY_MS), new Date(Date.now() - DAY_MS)],
        );
        const path = `${PATH}?state=all&id=ak_00000000000000000003`;
        const { page, wrong, close } = await openConsole(other, 'admin', path, { scheme, width });
        const apiKeys = page.getByRole('region', { name: 'API keys' });
        await apiKeys.getByRole('status').getByText('60 keys').waitFor();
        await page.getByRole('button', { name: 'Show more' }).click();
        await until('all are shown', async () => (await apiKeys.locator('tbody tr').count()) === 60);
        await page.getByRole('table', { name: 'The key that you looked for' }).getByText('Two secrets').waitFor();
        await page
          .getByRole('button', { name: /^Show all/ })
          .first()
          .click();
        expect(await lookAt(page)).toEqual(GOOD);
        for (const change of ['Rotate', 'Revoke']) {
          await page
            .getByRole('button', { name: `${change} ak_00000000000000000003` })
            .first()
            .click();
          await page.getByRole('button', { name: change, exact: true }).waitFor();
          expect(await lookAt(page)).toEqual(GOOD);
          await press(page, 'Cancel');
        }
        expect(wrong).toEqual([]);
        await close();
      },
    );
  });
});
