/** The view Sessions: who is logged in. (Interface 19) */
import { logIn, refreshTokenOf } from '../../support/gateway/gateway.js';
import { logout } from '../../support/gateway/routes.js';
import { LOOKS } from '../axe.js';
import { inChromium, type Site } from '../site.js';
import { expectHeading, GOOD, lookAt, openConsole, startConsole } from './console.js';

inChromium('in Chromium, the sessions of everybody', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startConsole();
  });
  afterAll(() => site?.close());

  test('Interface 19: an administrator finds a session by its user, and ends it', async () => {
    const { gateway } = site;
    const [one, other] = [await gateway.user(), await gateway.user()];
    const { answer } = await logIn(gateway, one.email);
    await logout(gateway, String(refreshTokenOf(answer)));
    await logIn(gateway, other.email);
    const { page, email, wrong, close } = await openConsole(site, 'admin', '/console/all-sessions');
    await expectHeading(page, 'Sessions');
    const row = (text: string) => page.getByRole('row', { name: text });
    await row(other.email).waitFor();
    expect(await row(one.email).count()).toBe(0); // it has ended
    expect(await row(email).getByRole('button', { name: /^End/ }).count()).toBe(0); // the one of this page
    await row(other.email).getByRole('button', { name: /^End/ }).click();
    const dialog = page.getByRole('dialog', { name: 'End session' });
    await dialog.getByText(other.email).waitFor();
    await dialog.getByRole('button', { name: 'End session' }).click();
    await row(other.email).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show ended sessions' }).click();
    await row(other.email).getByText('Ended by the user or an administrator').waitFor();
    await row(one.email).getByText('Logged out').waitFor();
    await row(one.email).getByRole('link', { name: one.email }).click();
    await expectHeading(page, one.email);
    expect(wrong).toEqual([]);
    await close();
  });

  test('Interface 19: an analyst reads them and ends none, a viewer has no such view', async () => {
    const other = await site.gateway.user();
    await logIn(site.gateway, other.email);
    const analyst = await openConsole(site, 'analyst', '/console/all-sessions');
    await analyst.page.getByRole('row', { name: other.email }).waitFor();
    expect(await analyst.page.getByRole('button', { name: /^End/ }).count()).toBe(0);
    expect(analyst.wrong).toEqual([]);
    await analyst.close();
    const viewer = await openConsole(site, 'viewer', '/console/all-sessions');
    await viewer.page.getByText('Your role (viewer) may not see this view.').waitFor();
    await viewer.close();
  });

  test.each(LOOKS)('Interface 19: looks right in %s at %i px', async (scheme, width) => {
    const { page, close } = await openConsole(site, 'admin', '/console/all-sessions', { scheme, width });
    await page.getByRole('row').nth(1).waitFor();
    expect(await lookAt(page)).toEqual(GOOD);
    await close();
  });
});
