/**
 * Kinds of failures: refused by the gateway, answered by something else, late, or offline; and wrong options.
 * (Interface 13)
 */
import { createAuthClient } from '../../client/src/browser.js';
import { ANSWER_MS } from '../../client/src/routes.js';
import { type Browser, startBrowser } from '../support/browser/client-environment.js';
import { openPage, type Page, type Wire } from '../support/browser/client-page.js';
import { runningClock } from '../support/gateway/clock.js';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let browser: Browser;
let email: string;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock() });
  ({ email } = await gateway.user());
});
afterAll(() => gateway.close());
beforeEach(() => {
  browser = startBrowser(gateway.config.publicUrl);
});
afterEach(() => browser.close());

const open = (wire?: Wire): Page => openPage(browser, { url: gateway.url, ...(wire && { wire }) });
const logIn = (page: Page) => page.client.login({ email, password: PASSWORD });
const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Wire =>
  async () =>
    new Response(body, { status, headers });
const COOKIE = { 'www-authenticate': 'Cookie realm="auth-gateway"' };

test.each<[string, Wire, object]>([
  [
    'a refusal',
    answer(401, '{"detail":"Invalid credentials","reason":"invalid_credentials"}', COOKIE),
    { kind: 'refused', status: 401, detail: 'Invalid credentials', reason: 'invalid_credentials' },
  ],
  [
    'the answer of a limit',
    answer(429, '{"detail":"Too many","reason":"login_rate_limited"}', { 'retry-after': '7' }),
    { kind: 'refused', status: 429, reason: 'login_rate_limited', retryAfterSeconds: 7 },
  ],
  [
    'an outage',
    answer(503, '{"detail":"Later","reason":"unavailable"}'),
    { kind: 'refused', status: 503, reason: 'unavailable' },
  ],
  [
    'the 404 of another server',
    answer(404, '{"detail":"Not Found"}'),
    { kind: 'unexpected', status: 404, detail: 'Unexpected answer with status 404', reason: undefined },
  ],
  [
    'the 502 of a proxy',
    answer(502, '<h1>Bad Gateway</h1>', { 'retry-after': '7' }),
    { kind: 'unexpected', status: 502, retryAfterSeconds: 7 },
  ],
  ['the 200 of a portal', answer(200, '<h1>Welcome</h1>'), { kind: 'unexpected', status: 200 }],
  [
    'the 401 of a proxy',
    answer(401, '{"detail":"No","reason":"no"}', { 'www-authenticate': 'Basic realm="proxy"' }),
    { kind: 'unexpected', status: 401, reason: undefined },
  ],
  [
    'no network',
    () => Promise.reject(new TypeError('Failed to fetch')),
    { kind: 'offline', status: 0, detail: 'No answer', reason: undefined },
  ],
])('Interface 13: %s of a login is told apart', async (_, wire, expected) => {
  await expect(logIn(open(wire))).rejects.toMatchObject({ name: 'AuthError', ...expected });
});

test('Interface 13: an answer that does not come in time is late', async () => {
  const page = open(() => new Promise(() => undefined));
  const login = expect(logIn(page)).rejects.toMatchObject({ kind: 'late', status: 0 });
  await until('it waits', () => page.time.due().includes(ANSWER_MS));
  await page.time.pass(ANSWER_MS);
  await login;
});

test('Interface 13: a login that breaks the rules of its fields says which', async () => {
  await expect(open().client.login({ email: 'nonsense', password: 'x' })).rejects.toMatchObject({
    ...{ kind: 'refused', status: 422 },
    errors: [{ field: 'email', message: expect.stringMatching(/^must/) }],
  });
});

test('Interface 13: login takes the fields of a form', async () => {
  const page = open();
  const form = new FormData();
  form.set('email', email);
  await expect(page.client.login(form)).rejects.toMatchObject({
    status: 422,
    errors: [expect.objectContaining({ field: 'password' })],
  });
  form.set('password', PASSWORD);
  await page.client.login(form);
  expect(page.client.state()).toEqual({ status: 'signed-in', user: expect.objectContaining({ role: 'viewer' }) });
});

test.each(['localhost:3001', 'auth.example.com', 'ftp://auth.example.com', 'javascript:0', '', 'http://'])(
  'Interface 13: %p is no URL of a gateway or an API',
  (url) => {
    const error = new TypeError(`Not a URL of http or https: ${url}`);
    expect(() => createAuthClient({ url })).toThrow(error);
    expect(() => createAuthClient({ url: 'http://localhost:3001', allowedOrigins: [url] })).toThrow(error);
    expect(() => openPage(browser, { url })).toThrow(error); // in a page too
  },
);
