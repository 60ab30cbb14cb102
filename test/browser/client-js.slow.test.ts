/** `/client.js`, imported by a page of another origin, without a bundler. (Interface 13) */
import { testedBlock } from '../documents/printed.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway } from '../support/gateway/gateway.js';
import { launchChromium } from './chromium.js';
import { startEdge } from './edge.js';
import { inChromium } from './site.js';

inChromium('in Chromium', () => {
  test('Interface 13: a page logs in and survives a reload with what client/README.md prints', async () => {
    await using running = new AsyncDisposableStack();
    const [app, auth] = [await startEdge(), await startEdge()];
    running.defer(app.close);
    running.defer(auth.close);
    const env = { PUBLIC_URL: auth.url, CORS_ORIGINS: app.url, NODE_ENV: 'production', REFRESH_RETRY: 'true' };
    const gateway = await startGateway({ clock: runningClock(), env });
    running.defer(gateway.close);
    auth.leadTo(gateway.url);
    const script = testedBlock('client/README.md', 'client-js').replaceAll('https://auth.example.com', auth.url);
    app.serve('/', 'text/html', `<!doctype html><link rel="icon" href="data:,">${script}`);
    const { email } = await gateway.user();

    const browser = await launchChromium();
    running.defer(() => browser.close());
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(app.url);
    await page.waitForFunction('globalThis.auth?.state().status === "signed-out"');
    await page.evaluate(`auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    await page.reload();
    await page.waitForFunction('globalThis.auth?.state().status === "signed-in"');
    expect(said).toEqual([]);
  });
});
