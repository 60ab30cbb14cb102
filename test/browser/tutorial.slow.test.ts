/** What the client is for: the code of every tutorial throws honest people out, each time that two refreshes meet. */
import { testedBlock } from '../documents/printed.js';
import { logIn } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';
import { servePage } from './bundle.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, type Site, startSite } from './site.js';

inChromium('in Chromium, without the client', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({ launch: launchHeadlessShell });
    await servePage(site.edge, '/tutorial', 'tutorial.jsx');
  });
  afterAll(() => site?.close());

  test('an effect that refreshes, in StrictMode, is a theft: both requests carry one cookie', async () => {
    const { edge, gateway } = site;
    const { email } = await gateway.user();
    const profile = await site.profile();
    const { refreshToken } = await logIn(gateway, email);
    await profile.addCookies([
      { name: 'refresh_token', value: refreshToken, domain: 'localhost', path: '/auth', httpOnly: true },
    ]);
    const page = await profile.newPage();
    const console: string[] = [];
    page.on('console', (message) => console.push(message.text()));
    const { refreshes } = edge;
    const both = until('each effect has sent one', () => refreshes.length === 2);
    const first = until('the first is answered', () => refreshes[0]?.over === true);
    edge.disturb((number) => ({ reaches: number === 0 ? both : first }));
    await page.goto(`${edge.url}/tutorial`);
    await until('both are answered', () => refreshes.length === 2 && refreshes.every(({ over }) => over));
    expect(refreshes.map(({ status }) => status)).toEqual([200, 401]);
    expect(await gateway.rows("select event_type from audit_events where event_type = 'token_theft'")).toHaveLength(1);
    expect(await gateway.rows('select jti from refresh_tokens where not revoked')).toEqual([]);

    const line = testedBlock('docs/login.md', 'thefts');
    await until(`the console says: ${line}`, () => console.includes(line));
    await profile.close();
  });
});
