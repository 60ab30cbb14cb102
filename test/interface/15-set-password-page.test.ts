/** The page of password links, as it is sent. `test/browser/set-password.slow.test.ts` has what it does. (Interface 15) */
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

describe('where mail is sent', () => {
  const MAIL = { MAIL: 'smtp', SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'auth@example.com' };
  const FORM = / id="forgot" data-link-seconds="(\d+)" hidden>/;

  async function pageWith(env: Record<string, string>) {
    const other = await startGateway({ env: { ...PRODUCTION, ...env } });
    const page = await other.send('GET', PAGE);
    const again = await other.send('GET', PAGE, { headers: { 'if-none-match': String(page.headers.etag) } });
    await other.close();
    return { ...page, again };
  }

  test('Interface 15: the page has the form that asks for a link, and knows how long a link works', async () => {
    const { text, headers, again } = await pageWith(MAIL);
    expect(FORM.exec(text)?.[1]).toBe('1800');
    expect(text).not.toMatch(
      /<script(?![^>]* src="\/)|<style| style=| on\w+=| action=| name="(?!viewport|color-scheme|robots)/,
    );
    expect(headers).toMatchObject({
      ...{ 'content-security-policy': POLICY, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      ...{ 'content-type': 'text/html; charset=utf-8' },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    const hour = await pageWith({ ...MAIL, RESET_TTL_SECONDS: '3600' });
    expect(FORM.exec(hour.text)?.[1]).toBe('3600');
    expect(hour.headers.etag).not.toBe(headers.etag);
  });

  test('Interface 15: without that form it is the page of a gateway that sends no mail', async () => {
    const { text } = await pageWith(MAIL);
    const [before = '', behind = ''] = text.split(/<div id="forgot".*<\/div>\n(?=<\/main>)/s);
    const off = await gateway.send('GET', PAGE);
    expect(before + behind).toBe(off.text);
    expect(off.text).not.toContain('forgot');
  });
});

test('Interface 21: the page says the name of the product, whatever characters that has, and its host once', async () => {
  const whose = ({ text }: { text: string }) => /<p class="whose">(.*)<\/p>\n<h1/.exec(text)?.[1];
  const other = await startGateway({ env: { ...PRODUCTION, PRODUCT_NAME: `A & <b>"Co"</b> $& 'Ltd'` } });
  const name = `A &amp; &lt;b&gt;&quot;Co&quot;&lt;/b&gt; $&amp; 'Ltd'`;
  expect(whose(await other.send('GET', PAGE))).toBe(`<b>${name}</b> <span>auth.example.com</span>`);
  await other.close();
  expect(whose(await gateway.send('GET', PAGE))).toBe('<b>auth.example.com</b>');
});

test('Interface 15: the page has a link to APP_URL, whatever characters that has, and else none', async () => {
  const APP_URL = `https://app.example.com/"><b>?a=1&b='2'#/login`;
  const other = await startGateway({ env: { ...PRODUCTION, APP_URL } });
  const anchors = ({ text }: { text: string }) => text.match(/<a.*?>.*?<\/a>/g);
  const anchor = `<a href="https://app.example.com/&quot;&gt;&lt;b&gt;?a=1&amp;b='2'#/login">Go to app.example.com</a>`;
  expect((await other.send('GET', PAGE)).text).toContain(`<p id="app" hidden>${anchor}</p>\n</main>`);
  expect((await other.send('GET', '/', { headers: { accept: 'text/html' } })).text).toContain(`<p>${anchor}</p>`);
  await other.close();
  expect(anchors(await gateway.send('GET', PAGE))).toBeNull();
  expect(anchors(await gateway.send('GET', '/', { headers: { accept: 'text/html' } }))).toBeNull();
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
