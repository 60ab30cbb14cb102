/** The view Webhooks: receivers, how far each is, and what can be done with it. (Interface 19) */
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../../outbox/receiver.js';
import { login } from '../../support/gateway/routes.js';
import { until } from '../../support/until.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, GOOD, type Looks, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/webhooks';

inChromium('in Chromium, the view Webhooks of the console', () => {
  let site: Site;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    site = await startConsole({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
  });
  beforeEach(() => receiver.reply(() => ({ status: 204 })));
  afterEach(() => site.gateway.rows('delete from webhooks'));
  afterAll(async () => {
    await site?.close();
    await receiver.close();
  });

  const dialog = (page: Page) => page.getByRole('dialog');
  const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();
  const act = (page: Page, name: string) => page.getByRole('button', { name: `${name} ${receiver.authority}` }).click();
  const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
  const row = (page: Page) => page.getByRole('table', { name: 'Webhooks' }).getByRole('row').nth(1);
  /** Reads the list again, as it does by itself every 15 seconds. */
  const shows = (page: Page, text: string | RegExp) =>
    until(`the row says ${text}`, async () => {
      await page.reload();
      await row(page).waitFor();
      return (await row(page).getByText(text).count()) > 0;
    });

  async function create(page: Page, url = receiver.url): Promise<void> {
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('URL').fill(url);
    await confirm(page, 'Create');
  }

  test('Interface 19: a webhook is created, its secret is shown once, and its events arrive', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await page.getByText('No webhook yet.').waitFor();
    const before = receiver.received.length;
    await create(page);
    const secret = await dialog(page).locator('pre').first().innerText();
    expect(secret).toMatch(/^whsec_/);
    await confirm(page, 'Done');
    expect(await page.content()).not.toContain(secret);
    await login(site.gateway, 'nobody@example.com', 'wrong');
    await receiver.reached(before + 2);
    expect(receiver.types().slice(before)).toEqual(['webhook_created', 'login_failure']);
    await shows(page, 'delivered (204)');
    await row(page).getByText('Delivering').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: only chosen events, and a target that is not listed', async () => {
    const { page, close } = await openConsole(site, 'admin', PATH);
    await create(page, 'https://elsewhere.example.com/hook');
    await dialog(page).locator('input[name="url"][aria-invalid="true"]').waitFor();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Only these').check();
    await page.getByLabel('Token theft').check();
    await page.getByLabel('Logout').check();
    await confirm(page, 'Create');
    await confirm(page, 'Done');
    const [stored] = await site.gateway.rows<{ event_types: string[] }>('select event_types from webhooks');
    expect(stored?.event_types.toSorted()).toEqual(['logout', 'token_theft']);
    await row(page).getByText('Token theft').waitFor();
    await close();
  });

  test('Interface 19: a receiver that answers 500 is failing; one that answers 410 is paused, and resumed', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    receiver.reply(() => ({ status: 500 }));
    await create(page);
    await confirm(page, 'Done');
    await shows(page, 'answered with an error (500)');
    await row(page).getByText('Failing').waitFor();
    await row(page).getByText('1 parked event').waitFor();
    await site.gateway.rows('delete from webhooks');

    receiver.reply(() => ({ status: 410 }));
    await page.reload();
    await create(page);
    await confirm(page, 'Done');
    await shows(page, 'because its receiver answered 410');
    receiver.reply(() => ({ status: 204 }));
    await act(page, 'Resume');
    await dialog(page).getByText('if it does so again, it is paused again').waitFor();
    await confirm(page, 'Resume');
    await said(page, 'is resumed.');
    await shows(page, 'delivered (204)');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a test event says how it went, and changes nothing', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await create(page);
    await confirm(page, 'Done');
    await shows(page, 'delivered (204)');
    const before = receiver.received.length;
    await act(page, 'Test');
    await confirm(page, 'Send');
    await dialog(page)
      .getByText(/^Delivered in \d+ ms: delivered \(204\)\.$/)
      .waitFor();
    await confirm(page, 'Done');
    expect(receiver.types().slice(before)).toEqual(['webhook_test']);
    receiver.reply(() => ({ status: 500 }));
    await act(page, 'Test');
    await confirm(page, 'Send');
    await dialog(page)
      .getByText(/^Not delivered in \d+ ms: answered with an error \(500\)\.$/)
      .waitFor();
    await confirm(page, 'Done');
    receiver.reply(() => ({ status: 204 }));
    await shows(page, 'delivered (204)'); // the last attempt stays
    await act(page, 'Delete');
    await confirm(page, 'Delete');
    await page.getByText('No webhook yet.').waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the last attempts are shown, and one event is sent again from its row, by the keyboard', async () => {
    receiver.reply(() => ({ status: 500 }));
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await create(page);
    await confirm(page, 'Done');
    await shows(page, 'answered with an error (500)');
    await page.getByRole('button', { name: `Attempts ${receiver.authority}` }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, 'e.textContent', `Last attempts for ${receiver.authority}/hook`);
    const rows = page.getByRole('table', { name: 'Last attempts' }).getByRole('row');
    await rows.nth(1).getByText('Webhook created').waitFor();
    await rows.nth(1).getByText('attempt 1').waitFor();
    expect(await rows.nth(1).getByText('answered with an error (500)').getAttribute('class')).toBe('bad');

    receiver.reply(() => ({ status: 204 }));
    const before = receiver.received.length;
    await rows.nth(1).getByRole('button', { name: 'Resend Webhook created' }).focus();
    await page.keyboard.press('Enter');
    await rows
      .nth(2)
      .getByText(/^Delivered in \d+ ms: delivered \(204\)\.$/)
      .waitFor();
    await rows.nth(1).getByText('sent by hand').waitFor();
    await expectFocus(page, 'e.textContent', 'Resend');
    expect(receiver.received.slice(before).map(({ json }) => json.type)).toEqual(['webhook_created']);

    await site.gateway.rows('delete from audit_events'); // as if it was too old
    await rows.nth(1).getByRole('button', { name: 'Resend' }).click();
    await rows.nth(1).getByText('The audit log has no event with this ID.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expectFocus(page, 'e.textContent.trim()', 'Receivers');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a rotation is walked through, also when its dialog is opened again', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await create(page);
    const old = await dialog(page).locator('pre').first().innerText();
    await confirm(page, 'Done');
    await shows(page, 'delivered (204)');
    await act(page, 'Rotate');
    await confirm(page, 'Rotate');
    const secret = await dialog(page).locator('pre').first().innerText();
    receiver.reply(({ text, headers }) => {
      try {
        new Webhook(old).verify(text, headers as Record<string, string>);
        return { status: 204 };
      } catch {
        return { status: 401 };
      }
    });
    const test = dialog(page).getByRole('button', { name: 'Send a test event' });
    await test.click();
    await dialog(page)
      .getByText(/^Not delivered in \d+ ms: answered with an error \(401\)\.$/)
      .waitFor();
    await dialog(page).getByText('The previous secret signs too until').waitFor();
    await confirm(page, 'Done');

    receiver.reply(() => ({ status: 204 })); // it has the new one now
    await row(page).getByText('Two secrets until').waitFor();
    await act(page, 'Rotate');
    await test.click();
    await dialog(page)
      .getByText(/^Delivered in \d+ ms/)
      .waitFor();
    expect(await page.content()).not.toContain(secret);
    const { text = '', headers } = receiver.received.at(-1) ?? {};
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({ type: 'webhook_test' });
    await dialog(page).getByText('Or rotate again').waitFor();
    await confirm(page, 'Cancel');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a webhook is paused, replayed, given a new secret, and deleted', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await create(page);
    await confirm(page, 'Done');
    await act(page, 'Pause');
    await confirm(page, 'Pause');
    await said(page, 'is paused.');
    await row(page).getByText('by an operator').waitFor();
    await act(page, 'Resume');
    await confirm(page, 'Resume');
    await said(page, 'is resumed.');

    const before = receiver.received.length;
    await act(page, 'Replay');
    await confirm(page, 'Replay');
    await said(page, 'gets its events again.');
    await until('an event of before came again', () => receiver.types().slice(before).includes('webhook_created'));

    await act(page, 'Rotate');
    await page.getByLabel('ends at once').check();
    await confirm(page, 'Rotate');
    await dialog(page).getByText('Every earlier secret has ended.').waitFor();
    await confirm(page, 'Done');
    await act(page, 'Delete');
    await dialog(page).getByText('gets no more events').waitFor();
    await confirm(page, 'Delete');
    await page.getByText('No webhook yet.').waitFor();
    expect(await site.gateway.rows('select from webhooks')).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: without WEBHOOK_HOSTS the view says that webhooks are off, and how they are switched on', async () => {
    const off = await startConsole();
    const { page, close } = await openConsole(off, 'admin', PATH);
    await page.getByText('Webhooks are off, so nothing is sent.').waitFor();
    expect(await page.getByRole('button', { name: 'Create a webhook' }).count()).toBe(0);
    expect(await lookAt(page)).toEqual(GOOD);
    await close();
    await off.close();
  });

  test.each(LOOKS)('Interface 19: %s, %i pixels wide: axe finds nothing, in dialogs neither', async (scheme, width) => {
    const looks: Looks = { scheme, width };
    const { page, wrong, close } = await openConsole(site, 'admin', PATH, looks);
    await page.getByText('No webhook yet.').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Only these').check();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByLabel('All, also those').check();
    await page.getByLabel('URL').fill(`${receiver.url}/${'long'.repeat(100)}?token=${'x'.repeat(200)}`);
    await confirm(page, 'Create');
    await confirm(page, 'Done');
    await row(page).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await page.getByRole('button', { name: /^Attempts / }).click();
    await page.getByRole('button', { name: 'Resend' }).first().click();
    await page.getByText('sent by hand').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await act(page, 'Rotate');
    await confirm(page, 'Rotate');
    await dialog(page).getByRole('button', { name: 'Send a test event' }).click();
    await dialog(page).getByText('elivered in').waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await confirm(page, 'Done');
    for (const name of ['Replay', 'Rotate', 'Delete']) {
      await act(page, name);
      await dialog(page).waitFor();
      expect([name, await lookAt(page)]).toEqual([name, GOOD]);
      await confirm(page, 'Cancel');
      await dialog(page).waitFor({ state: 'detached' });
    }
    expect(wrong).toEqual([]);
    await close();
  });
});
