/** CONTRACT 13: the client in the simple case, against the gateway. */
import { createClient } from '../../client/src/client.js';
import { type Browser, startBrowser } from '../support/client-environment.js';
import { runningClock } from '../support/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
});
afterAll(() => gateway.close());
beforeEach(() => {
  browser = startBrowser(gateway.config.publicUrl);
});
afterEach(() => browser.close());

test('13 logs in, is still logged in when the page is loaded again, and logs out', async () => {
  const { email } = await gateway.user();
  const client = createClient({ url: gateway.url }, browser.tab());
  expect(client.state()).toEqual({ status: 'signed-out' });
  const user = await client.login({ email, password: PASSWORD });
  expect(client.state()).toEqual({ status: 'signed-in', user });

  const again = createClient({ url: gateway.url }, browser.tab());
  expect(again.state()).toEqual({ status: 'loading' });
  expect(await again.getAccessToken()).toEqual(expect.any(String));
  expect(again.state()).toEqual({ status: 'signed-in', user });

  await again.logout();
  expect(again.state()).toEqual({ status: 'signed-out' });
  expect(await client.getAccessToken()).toBeUndefined();
});
