/** Interface 15: how the page of password links is sent. What it does is tested in `test/browser/set-password.test.ts`. */
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const PAGE = '/set-password';
const FILES = [
  [PAGE, 'text/html; charset=utf-8', 'no-store', '<title>Set your password</title>'],
  [`${PAGE}/page.js`, 'text/javascript; charset=utf-8', 'no-cache', '/auth/password/redeem'],
  [`${PAGE}/page.css`, 'text/css; charset=utf-8', 'no-cache', 'color-scheme'],
] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: PRODUCTION });
});
afterAll(() => gateway.close());

test.each(FILES)('Interface 15: in production %s is sent as %s, %s', async (path, type, cache, content) => {
  const answer = await gateway.send('GET', path);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    ...{ 'content-type': type, 'cache-control': cache, 'referrer-policy': 'no-referrer' },
    'x-content-type-options': 'nosniff',
  });
  expect(answer.text).toContain(content);
  const compressed = await gateway.send('GET', path, { headers: { 'accept-encoding': 'gzip' } });
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(Number(compressed.headers['content-length'])).toBeLessThan(4_000);
  const head = await gateway.send('HEAD', path);
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag]);
});

test('Interface 15: the page loads and asks its own origin alone, and is in no frame', async () => {
  const { headers, text } = await gateway.send('GET', PAGE);
  expect(headers['content-security-policy']).toBe(POLICY);
  expect(text).not.toMatch(/<script(?![^>]* src="\/)|<style| style=| on\w+=/);
});

test.each(FILES)('Interface 15: %s is only read', async (path) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const answer = await gateway.send(method, path);
    expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'GET, HEAD']);
  }
});

test('Interface 15: if SET_PASSWORD_URL names another page, this one is 404', async () => {
  const without = await startGateway({
    env: { ...PRODUCTION, SET_PASSWORD_URL: 'https://app.example.com/set-password' },
  });
  for (const [path] of FILES) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      expect([path, (await without.send(method, path)).status]).toEqual([path, 404]);
    }
  }
  await without.close();
});

test('Interface 15: if SET_PASSWORD_URL names this page, it is served', async () => {
  const named = await startGateway({ env: { ...PRODUCTION, SET_PASSWORD_URL: `${PRODUCTION.PUBLIC_URL}${PAGE}` } });
  expect((await named.send('GET', PAGE)).status).toBe(200);
  await named.close();
});
