/** Interface 19: how the console is served. What it shows is tested in `test/browser`. */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const VIEWS = [
  '/console',
  '/console/',
  '/console/users',
  '/console/users/',
  '/console/users/0f1c1d34-5c4f-4d1c-9a37-4ed9be0f0a4c',
  '/console/audit',
  '/console/audit?event=token_theft',
  '/console/keys',
  '/console/webhooks',
  '/console/sessions',
  '/console/gateway',
  '/console/no/view',
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test.each(VIEWS)('Interface 19: %s is the page', async (path) => {
  const answer = await gateway.send('GET', path);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': POLICY },
    ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
  });
  expect(answer.text).toContain('<title>auth-gateway</title>');
  const head = await gateway.send('HEAD', path);
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag]);
});

test('Interface 19: what the page names is there', async () => {
  const { text } = await gateway.send('GET', '/console/');
  const named = Array.from(text.matchAll(/"(\/console\/assets\/[^"]+)"/g), ([, path = '']) => path);
  expect(named.length).toBeGreaterThan(1);
  for (const path of named) expect([path, (await gateway.send('GET', path)).status]).toEqual([path, 200]);
});
