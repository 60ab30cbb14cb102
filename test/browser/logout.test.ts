/** A logout that the gateway has not confirmed, as browsers lose it. (Interface 13) */
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { inChromium, type Site, startSite, type Visitor } from './site.js';

const KIND = "auth.logout().then(() => 'confirmed', (error) => error.kind)";

inChromium('in Chromium', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ env: { REFRESH_RETRY: 'true' } });
  });
  afterAll(() => site?.close());

  const status = (page: Page) => page.evaluate<string>('auth.state().status');
  const becomes = (page: Page, expected: string) => until(expected, async () => (await status(page)) === expected);
  const live = ({ sid }: Visitor) =>
    site.gateway.rows('select 1 from refresh_tokens where family_id = $1 and not revoked', [sid]);

  test('Interface 13: without a network every tab says that nobody is logged out yet, until the network is back', async () => {
    const visitor = await site.visitor();
    const { page, profile } = visitor;
    const other = await profile.newPage();
    await other.goto(site.edge.url);
    await becomes(other, 'signed-in');
    await profile.setOffline(true);
    expect(await page.evaluate(KIND)).toBe('offline');
    await becomes(other, 'signing-out');
    expect(await other.evaluate('auth.getAccessToken()')).toBeUndefined();
    expect([await status(page), await live(visitor)]).toEqual(['signing-out', [expect.anything()]]);

    await profile.setOffline(false);
    for (const tab of [page, other]) await becomes(tab, 'signed-out');
    expect([await live(visitor), await profile.cookies()]).toEqual([[], []]);
    await profile.close();
  });

  test('Interface 13: a page that is loaded again goes on with it', async () => {
    const visitor = await site.visitor((profile) => profile.route('**/auth/logout', (route) => route.abort()));
    const { page, profile } = visitor;
    expect(await page.evaluate(KIND)).toBe('offline');
    await page.reload();
    expect(await status(page)).toBe('signing-out');
    await page.waitForFunction('auth.state().error');
    await profile.unroute('**/auth/logout');
    await becomes(page, 'signed-out');
    expect([await live(visitor), await profile.cookies()]).toEqual([[], []]);
    await page.reload();
    expect(await status(page)).toBe('signed-out');
    await profile.close();
  });
});
