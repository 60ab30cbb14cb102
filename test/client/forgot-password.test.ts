/** `forgotPassword` of the client. Only a gateway that sends mail answers anything but 404. (Interface 13 and 15) */

import { ANSWER_MS } from '../../client/src/routes.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type Wire } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';

const ROUTE = '/auth/password/forgot';
const EMAIL = 'ada@example.com';

let gateway: TestGateway;
let browsers: Browser[] = [];
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
});
afterAll(() => gateway.close());
afterEach(() => {
  for (const browser of browsers) browser.close();
  browsers = [];
});

/** A page of a browser of its own. */
function open(wire?: Wire): Page {
  const browser = startBrowser(gateway.config.publicUrl);
  browsers.push(browser);
  return openPage(browser, { url: gateway.url, ...(wire && { wire }) });
}

/** A page whose gateway answers the route so. */
function openAnswered(status: number, body: object | string, headers: Record<string, string> = {}): Page {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return open(async ({ url }, next) => (url.endsWith(ROUTE) ? new Response(text, { status, headers }) : next()));
}

const forgot = ({ client }: Page, email = EMAIL): Promise<void> => client.forgotPassword(email);
const paths = ({ asked }: Page): string[] => asked.map(({ path }) => path);
const TAKEN = { detail: 'If this address has an account, a message is on its way' };

test('Interface 15: a link is asked for with the e-mail alone, and nothing is returned', async () => {
  let sent: Request | undefined;
  const page = open(async (request) => {
    sent = request.clone();
    return new Response(JSON.stringify(TAKEN), { status: 202 });
  });
  expect(await forgot(page)).toBeUndefined();
  expect([sent?.method, sent?.url, sent?.headers.get('content-type'), await sent?.json()]).toEqual([
    ...['POST', `${gateway.url}${ROUTE}`, 'application/json', { email: EMAIL }],
  ]);
  expect(page.asked).toEqual([{ path: ROUTE, retry: null, authorization: null }]);
});

test('Interface 15: a session stays as it is, and its token is not sent', async () => {
  const page = openAnswered(202, TAKEN);
  const { email } = await gateway.user();
  await page.client.login({ email, password: PASSWORD });
  page.asked.length = 0;
  const before = page.client.state();
  await forgot(page);
  expect(page.asked).toEqual([{ path: ROUTE, retry: null, authorization: null }]);
  expect(page.client.state()).toBe(before);
});

test('Interface 15: a gateway that sends no mail is 404', async () => {
  await expect(forgot(open())).rejects.toMatchObject({ name: 'AuthError', status: 404 });
});

test('Interface 15: an invalid e-mail is 422 with its errors', async () => {
  const errors = [{ field: 'email', message: 'must be an e-mail address' }];
  const page = openAnswered(422, { detail: 'Request body is invalid', reason: 'body_invalid', errors });
  await expect(forgot(page, 'ada')).rejects.toMatchObject({
    ...{ kind: 'refused', status: 422, detail: 'Request body is invalid', reason: 'body_invalid', errors },
  });
});

test.each([
  [429, 'login_rate_limited', 840],
  [503, 'unavailable', 5],
])(
  'Interface 15: %i is thrown with its reason and the time to wait, and not repeated',
  async (status, reason, wait) => {
    const page = openAnswered(status, { detail: 'A sentence', reason }, { 'retry-after': `${wait}` });
    await expect(forgot(page)).rejects.toMatchObject({
      ...{ name: 'AuthError', kind: 'refused', status, detail: 'A sentence', reason, retryAfterSeconds: wait },
    });
    expect(paths(page)).toEqual([ROUTE]);
  },
);

test.each([
  [200, TAKEN],
  [202, 'Accepted'],
  [202, {}],
  [204, ''],
])('Interface 15: only the 202 of the gateway counts as sent: %i %j', async (status, body) => {
  const page = status === 204 ? open(async () => new Response(null, { status })) : openAnswered(status, body);
  await expect(forgot(page)).rejects.toMatchObject({ name: 'AuthError', status });
});

test('Interface 15: without an answer it is sent once', async () => {
  const lost = open(() => Promise.reject(new TypeError()));
  await expect(forgot(lost)).rejects.toMatchObject({ name: 'AuthError', kind: 'offline', status: 0 });
  expect(paths(lost)).toEqual([ROUTE]);

  const silent = open(() => new Promise(() => undefined));
  const asking = expect(forgot(silent)).rejects.toMatchObject({ kind: 'late', status: 0 });
  await silent.time.pass(ANSWER_MS);
  await asking;
});
