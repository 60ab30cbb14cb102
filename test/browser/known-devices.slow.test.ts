/** A real browser stores the cookie of its device, and sends it with a login alone. (Interface 16) */
import { PASSWORD } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { launchHeadlessShell } from './chromium.js';
import { inChromium, startSite } from './site.js';

inChromium('in Chromium', () => {
  test('Interface 16: strangers lock an account, and its owner logs in again where they had logged in before', async () => {
    await using running = new AsyncDisposableStack();
    const site = await startSite({ launch: launchHeadlessShell, env: { KNOWN_DEVICES: 'on' } });
    running.defer(site.close);
    const { page, profile, email } = await site.visitor();
    const logIn = (password: string) =>
      `auth.login(${JSON.stringify({ email, password })}).then(() => 200, ({ status }) => status)`;
    await page.evaluate('auth.logout()');
    for (let i = 0; i < site.gateway.config.login.maxFailures; i += 1) await login(site.gateway, email, WRONG);
    expect((await login(site.gateway, email)).status).toBe(429);

    const cookies: string[] = [];
    page.on('request', async (request) =>
      cookies.push(`${request.url()} ${(await request.allHeaders())['cookie'] ?? ''}`),
    );
    expect(await page.evaluate(logIn(PASSWORD))).toBe(200);
    expect(await page.evaluate('auth.getAccessToken().then(() => auth.logout()).then(() => "out")')).toBe('out');
    const [atLogin = '', ...later] = cookies;
    expect(atLogin).toMatch(/\/auth\/login .*device=/);
    expect(later.filter((text) => text.includes('device='))).toEqual([]);
    expect(await page.evaluate('document.cookie')).toBe('');

    await profile.clearCookies();
    expect(await page.evaluate(logIn(PASSWORD))).toBe(429); // as in a private window
  });
});
