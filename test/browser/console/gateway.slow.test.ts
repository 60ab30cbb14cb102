/** The view Gateway: facts of the instance, findings of `doctor`, the login limit, mail, the keyring, and the door to the explorer. (Interface 19) */

import { rotateKeyring } from '../../../src/admin/keyring.js';
import { ownKeyring } from '../../support/gateway/doctor.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/gateway';

inChromium('in Chromium, the view Gateway of the console', () => {
  let site: Site;
  let keyring: Awaited<ReturnType<typeof ownKeyring>>;
  const printed: string[] = [];
  beforeAll(async () => {
    keyring = await ownKeyring();
    const env = { KEYRING_FILE: keyring.file, MAIL: 'log', LOGIN_RATE_LIMIT: '50' };
    site = await startConsole({ env, print: (line) => void printed.push(line), outboxPollMs: 3_600_000 });
  });
  afterAll(async () => {
    await site?.close();
    await keyring?.remove();
  });

  /** As if there had been so many logins */
  const count = (address: string, logins: number) =>
    site.gateway.rows(
      `insert into rate_limits (key, points, expire) values ('login:' || $1::text, $2::integer, $3::bigint)
       on conflict (key) do update set points = excluded.points`,
      [address, logins, Date.now() + 600_000],
    );

  test('Interface 19: an address over the limit is shown first, and can log in once its count is cleared', async () => {
    await site.gateway.rows(`delete from rate_limits where key like 'login:%'`);
    await count('192.0.2.7', 51);
    await count('2001:db8::/48', 60);
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await page.getByText('1 address cannot log in until its count ends.').waitFor();
    const table = page.getByRole('table', { name: 'Addresses with counted logins' });
    expect(await table.getByRole('row').nth(1).innerText()).toMatch(/192\.0\.2\.7.*51 of 50/s);
    expect(await table.getByRole('row', { name: '2001:db8::/48' }).innerText()).toContain('60 of 400');
    await page.getByRole('button', { name: 'Clear 192.0.2.7' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Clear the login count' });
    await dialog.getByRole('button', { name: 'Clear' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Every address can log in.').waitFor();
    expect(await table.getByText('192.0.2.7').count()).toBe(0);
    expect(await site.gateway.rows(`select from rate_limits where key = 'login:192.0.2.7'`)).toEqual([]);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: a test mail goes to who asks for it, and its result is shown', async () => {
    const { page, wrong, email, close } = await openConsole(site, 'admin', PATH);
    await page.getByText('No mail was sent yet.').waitFor();
    await page.getByRole('button', { name: 'Send me a test mail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test mail' });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText(/^After \d+ ms: delivered\.$/).waitFor();
    expect(printed).toContain(`To: ${email}`);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: after a rotation the keyring says what is used from when, and what is needed until when', async () => {
    const usedFrom = new Date(Math.floor((await rotateKeyring(site.gateway.app)).usedFrom.getTime() / 1000) * 1000);
    await site.gateway.app.keyring.reload();
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const keys = page.getByRole('table', { name: 'Keys of the keyring' });
    await page.getByText('A rotation is under way').waitFor();
    expect(await keys.getByText('Published, used from').count()).toBe(3);
    expect(await keys.getByText('In use').count()).toBe(3);
    expect(await keys.locator(`time[datetime="${usedFrom.toISOString()}"]`).count()).toBe(6);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: it shows the instance, what doctor finds, and the keyring without its keys', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    await expectHeading(page, 'Gateway');
    await page.getByRole('definition').filter({ hasText: site.edge.url }).waitFor();
    const keys = page.getByRole('table', { name: 'Keys of the keyring' });
    await keys.getByText('Signs access tokens').first().waitFor();
    await page.getByText(/\d+ checks are fine/).click();
    const fine = page.getByRole('table', { name: 'Checks that are fine' });
    await fine.getByRole('row').filter({ hasText: 'administrators' }).waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: settings that are set, and on demand all of them', async () => {
    const { page, wrong, close } = await openConsole(site, 'admin', PATH);
    const settings = page.getByRole('table', { name: 'Settings' });
    await settings.getByRole('row', { name: 'PUBLIC_URL' }).getByText(site.edge.url).waitFor();
    await settings.getByRole('row', { name: 'DATABASE_URL' }).getByText('Hidden').waitFor();
    expect(await settings.getByText('REDIS_URL').count()).toBe(0);
    await page.getByRole('button', { name: 'Show all' }).click();
    await settings.getByText('REDIS_URL', { exact: true }).waitFor();
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: the door to the explorer leads to one that is logged in', async () => {
    const { page, email, close } = await openConsole(site, 'admin', PATH);
    await page.getByRole('link', { name: 'Open the explorer' }).click();
    await page.getByText(`Logged in as ${email} (admin)`).waitFor();
    await close();
  });

  test('Interface 19: without the explorer there is no door to it', async () => {
    const closed = await startConsole({ env: { GRAPHQL_EXPLORER: 'false' } });
    const { page, close } = await openConsole(closed, 'admin', PATH);
    await page.getByText('Public URL', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Open the explorer' }).count()).toBe(0);
    await close();
    await closed.close();
  });

  test.each(LOOKS)('Interface 19: %s, %i pixels wide: axe finds nothing', async (scheme, width) => {
    await count('192.0.2.8', 51);
    await count('2001:db8:1:2:3::/64', 7);
    const { page, wrong, close } = await openConsole(site, 'admin', PATH, { scheme, width });
    await page.getByText(/\d+ checks are fine/).click();
    await page.getByRole('table', { name: 'Keys of the keyring' }).waitFor();
    await page.getByRole('table', { name: 'Addresses with counted logins' }).waitFor();
    await page.getByRole('table', { name: 'Events that wait for their mail' }).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });
});
