/** With TRUSTED_DOCUMENTS_ONLY=all and no file, the console, the account page and the explorer ask what they always do. (Interface 24) */
import type { Page } from 'playwright-core';
import { COMMAND_LINE } from '../../../src/admin/administer.js';
import { createWebhook } from '../../../src/admin/webhooks.js';
import { claimsOf, logIn } from '../../support/gateway/gateway.js';
import { newApiKey, newCronKey } from '../../support/gateway/graphql.js';
import { readMetrics } from '../../support/independent/prometheus.js';
import { until } from '../../support/until.js';
import { whole } from '../account/account.js';
import { inChromium, type Site } from '../site.js';
import { openAlone, openConsole, startConsole } from './console.js';

const HOOK_HOST = '127.0.0.1:9';

inChromium('in Chromium, where only trusted documents run', () => {
  let site: Site;
  beforeAll(async () => {
    const env = {
      ...{ TRUSTED_DOCUMENTS_ONLY: 'all', MAIL: 'log', KNOWN_DEVICES: 'on', WEBHOOK_HOSTS: HOOK_HOST },
      ...{ CONSOLE: 'on', ACCOUNT: 'on' },
    };
    site = await startConsole({ env });
  });
  afterAll(() => site?.close());

  /** Names of the operations that were answered with 200 */
  function answeredIn(page: Page): { ran: Set<string>; refused: string[] } {
    const found = { ran: new Set<string>(), refused: [] as string[] };
    page.on('response', async (response) => {
      if (new URL(response.url()).pathname !== '/graphql' || response.request().method() !== 'POST') return;
      const { query } = response.request().postDataJSON();
      if (response.status() === 200) found.ran.add(String(query));
      else found.refused.push(`${response.status()} ${query}`);
    });
    return found;
  }

  async function refusedDocuments(): Promise<number[]> {
    const families = readMetrics((await site.gateway.send('GET', '/metrics')).text);
    const { samples = [] } = families.get('auth_gateway_untrusted_documents_total') ?? {};
    return samples.map(({ value }) => value);
  }

  /** @returns waits until a view has all of its data; a stream goes on. */
  function settling(page: Page): () => Promise<void> {
    const asked = new Set<unknown>();
    page.on('request', (request) => {
      if (request.headers()['accept'] !== 'text/event-stream') asked.add(request);
    });
    for (const end of ['requestfinished', 'requestfailed'] as const) {
      page.on(end as 'requestfinished', (request) => asked.delete(request));
    }
    const isBusy = async () => asked.size > 0 || (await page.locator('[aria-busy="true"]').count()) > 0;
    return async () => {
      await page.getByRole('banner').waitFor();
      await until('nothing is being loaded', async () => !(await isBusy()));
    };
  }

  test('Interface 24: every view of the console shows what it always does', async () => {
    const { gateway } = site;
    const { keyId } = await newApiKey(gateway, ['users:read']);
    await newCronKey(gateway);
    const webhook = { url: `http://${HOOK_HOST}/`, eventTypes: ['login_success' as const], includeEmails: false };
    await createWebhook(gateway.app, COMMAND_LINE, webhook);
    const other = await gateway.user();
    const { answer } = await logIn(gateway, other.email);
    const opened = await openConsole(site, 'admin');
    const seen = answeredIn(opened.page);
    const settled = settling(opened.page);
    const sid = String(claimsOf(answer.json.access_token)['sid']);
    for (const path of [
      ...['', 'users', `users/${other.id}`, 'audit', `audit?session=${sid}`, 'keys', `keys?id=${keyId}`],
      ...['webhooks', 'sessions', 'gateway'],
    ]) {
      await opened.page.goto(`${site.edge.url}/console/${path}`);
      await settled();
      expect([path, await opened.page.getByRole('alert').allTextContents()]).toEqual([path, []]);
    }
    expect(seen.refused).toEqual([]);
    expect(seen.ran.size).toBeGreaterThan(12);
    expect([opened.wrong, await refusedDocuments()]).toEqual([[], [0, 0, 0]]);
    await opened.close();
  });

  test('Interface 24: the account page lists and ends sessions and devices', async () => {
    const { email } = await site.gateway.user();
    const opened = await openAlone(site, '/account', { email });
    const seen = answeredIn(opened.page);
    const settled = settling(opened.page);
    await logIn(site.gateway, email);
    await opened.page.reload();
    await whole(opened.page);
    await settled();
    await opened.page.getByRole('button', { name: /^End / }).first().click();
    await opened.page.getByRole('dialog').getByRole('button', { name: /^End/ }).click();
    await until('a session has ended', () => [...seen.ran].some((query) => /revoke/.test(query)));
    expect(seen.refused).toEqual([]);
    expect([opened.wrong, await refusedDocuments()]).toEqual([[], [0, 0, 0]]);
    await opened.close();
  });

  test('Interface 24: the explorer shows the error as it is', async () => {
    const page = await (await site.profile()).newPage();
    await page.goto(`${site.edge.url}/graphql`);
    const { email } = await site.gateway.user();
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill('correct horse battery staple');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText(email).waitFor();
    await page.getByRole('button', { name: /^Execute/ }).click();
    await page.getByText('document_not_trusted').waitFor();
    await page.context().close();
  });
});
