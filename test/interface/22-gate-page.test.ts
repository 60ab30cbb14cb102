/** The page `/gate`, as it is served. (Interface 22) */
import { ORIGIN } from '../support/gateway/authz.js';
import { GATE } from '../support/gateway/gate.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const PATH = `/gate?${new URLSearchParams({ origin: ORIGIN, target: '/' })}`;
/** Bytes of what a browser loads for the login, compressed. The other parts come with their steps. */
const FIRST_LOAD = 25_500;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { ...GATE, ACCOUNT: 'on', MAIL: 'off' } });
});
afterAll(() => gateway.close());

test('Interface 22: the page has its policy and no cookie, is stored nowhere, and says whether there is an account page', async () => {
  const page = await gateway.send('GET', PATH);
  expect([page.status, page.cookies]).toEqual([200, []]);
  expect(page.headers).toMatchObject({
    ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': POLICY },
    ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
  });
  expect(page.text).toContain('data-set-password="false" data-account="true" data-product-name="localhost:3000"');
  expect(page.text).not.toContain('app.example.com'); // the script reads the address
  expect((await gateway.send('HEAD', PATH)).status).toBe(200);
  expect((await gateway.send('POST', PATH)).status).toBe(405);
});

test('Interface 22: the first load is small, and what it names is served for good', async () => {
  const { text } = await gateway.send('GET', PATH);
  const named = Array.from(text.matchAll(/(?:src|href)="(\/gate\/assets\/[^"]+)"/g), ([, path = '']) => path);
  let bytes = 0;
  for (const path of named) {
    const { headers } = await gateway.send('HEAD', path, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    bytes += Number(headers['content-length']);
  }
  expect(bytes).toBeLessThan(FIRST_LOAD);
  expect(bytes).toBeGreaterThan(FIRST_LOAD / 2);
});
