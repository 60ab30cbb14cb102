/** The view Gateway: facts of the instance, findings of `doctor`, the keyring, and the door to the explorer. (Interface 19) */

import { rotateKeyring } from '../../../src/admin/keyring.js';
import { ownKeyring } from '../../support/gateway/doctor.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

const PATH = '/console/gateway';

inChromium('in Chromium, the view Gateway of the console', () => {
  let site: Site;
  let keyring: Awaited<ReturnType<typeof ownKeyring>>;
  beforeAll(async () => {
    keyring = await ownKeyring();
    const env = { KEYRING_FILE: keyring.file };
    site = await startConsole({ env });
  });
  afterAll(async () => {
    await site?.close();
    await keyring?.remove();
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
    const { page, wrong, close } = await openConsole(site, 'admin', PATH, { scheme, width });
    await page.getByText(/\d+ checks are fine/).click();
    await page.getByRole('table', { name: 'Keys of the keyring' }).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    expect(wrong).toEqual([]);
    await close();
  });
});
