/** The view Webhooks: the examples that it shows work, and what it says by itself and before a change. (Interface 19) */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../../outbox/receiver.js';
import { until } from '../../support/until.js';
import { inChromium, type Site } from '../site.js';
import { expectFocus, openConsole, startConsole } from './console.js';

const PATH = '/console/webhooks';
/** How often the view asks again by itself */
const POLL_MS = 15_000;

inChromium('in Chromium, the view Webhooks of the console', () => {
  let site: Site;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    site = await startConsole({ env: { WEBHOOK_HOSTS: receiver.authority }, outboxPollMs: 20 });
  });
  beforeEach(() => receiver.reply(() => ({ status: 204 })));
  afterEach(async () => {
    for (const table of ['webhooks', 'outbox_events', 'outbox_cursors'])
      await site.gateway.rows(`delete from ${table}`);
  });
  afterAll(async () => {
    await site?.close();
    await receiver?.close();
  });

  const dialogOf = (page: Page) => page.getByRole('dialog');
  const rowOf = (page: Page) => page.getByRole('table', { name: 'Webhooks' }).getByRole('row').nth(1);
  const confirm = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click();
  const act = (page: Page, name: string) => rowOf(page).getByRole('button', { name }).click();
  const parkedEvents = () => site.gateway.rows('select from outbox_events where due_at is not null');

  async function create(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('URL').fill(receiver.url);
    await confirm(page, 'Create');
    await dialogOf(page).getByText('Store it now').waitFor();
  }

  test('Interface 19: what is shown with a new webhook works: verifying an event, and its test', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const before = receiver.received.length;
    await create(page);
    const [secret = '', snippet = ''] = await dialogOf(page).locator('pre').allInnerTexts();
    await receiver.reached(before + 1);
    const [event] = receiver.received.slice(before);
    const isVerified = (body = ''): Promise<boolean> => {
      const script = `${snippet}\nverify(process.env.BODY, JSON.parse(process.env.HEADERS));`;
      const env = { WEBHOOK_SECRET: secret, BODY: body, HEADERS: JSON.stringify(event?.headers) };
      return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env }).then(
        () => true,
        () => false,
      );
    };
    expect([await isVerified(event?.text), await isVerified(`${event?.text} `)]).toEqual([true, false]);

    await confirm(page, 'Done');
    await act(page, 'Test');
    await confirm(page, 'Send');
    await dialogOf(page)
      .getByText(/^Delivered/)
      .waitFor();
    expect(receiver.types().at(-1)).toBe('webhook_test');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the states change by themselves, in the summary that is read out as well', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await page.clock.install();
    await page.reload();
    /** Lets the view ask again by itself until it says so. */
    const saysSoon = (summary: string) =>
      until(`the page says "${summary}"`, async () => {
        await page.clock.fastForward(POLL_MS);
        return (await page.getByRole('status').getByText(summary, { exact: true }).count()) > 0;
      });
    receiver.reply(() => ({ status: 500 }));
    await create(page);
    await confirm(page, 'Done');
    await saysSoon('1 webhook, 1 failing');
    await rowOf(page).getByText('Failing').waitFor();
    await rowOf(page).getByText('(500)').waitFor();
    receiver.reply(() => ({ status: 410 }));
    await site.gateway.rows('update outbox_events set due_at = now()');
    await saysSoon('1 webhook, 1 paused');
    await rowOf(page).getByRole('button').first().focus();
    await site.gateway.rows('delete from webhooks');
    await saysSoon('0 webhooks');
    await expectFocus(page, 'e.textContent.trim()', 'Receivers');
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: how far a webhook is behind is said, and before a deletion what it drops', async () => {
    receiver.reply(() => ({ status: 500 }));
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await create(page);
    await confirm(page, 'Done');
    await until('its event is parked', async () => (await parkedEvents()).length === 1);
    await site.gateway.rows(`update outbox_events set written_at = written_at - interval '3 hours'`);
    await page.reload();
    await rowOf(page).getByText('Behind by 3 hours').waitFor();
    await act(page, 'Delete');
    await dialogOf(page).getByText('Its 1 parked event and all others that wait for it are not sent').waitFor();
    await dialogOf(page).getByText('the oldest has waited for 3 hours').waitFor();
    await confirm(page, 'Cancel');
    expect(await site.gateway.rows('select from webhooks')).toHaveLength(1);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a replay since a time in the future is refused at its field', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await create(page);
    await confirm(page, 'Done');
    await act(page, 'Replay');
    const since = page.getByLabel('Since');
    await since.waitFor();
    await page.evaluate(`document.querySelector('input[name="since"]').max = ''`); // the browser would refuse it by itself
    await since.fill('2999-01-01T00:00');
    await confirm(page, 'Replay');
    await dialogOf(page).getByRole('alert').getByText('The time must not be in the future').waitFor();
    expect(await since.getAttribute('aria-invalid')).toBe('true');
    expect(wrong).toEqual([]);
    await close();
  });
});
