/** The files of the console, as they are served. (Interface 19) */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Answer, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { readMetrics } from '../support/independent/prometheus.js';

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const BUILT = 'dist/console';
const ASSETS = '/console/assets';
const NOT_FOUND = { detail: 'Not found', reason: 'not_found' };
const ID = '0f1c1d34-5c4f-4d1c-9a37-4ed9be0f0a4c';
const VIEWS = [
  ...['/console', '/console/', '/console/users', `/console/users/${ID}`, '/console/audit', '/console/keys'],
  ...['/console/webhooks', '/console/sessions', '/console/gateway'],
];
const READ_ONLY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const captured = captureLog();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ log: captured.log });
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}) => gateway.send('GET', path, { headers });
const page = async () => (await get('/console/')).text;

/** What the build has made for the page. */
/** Trusted documents, which are no asset */
const MANIFEST = 'trusted-documents.json';
const files = (): string[] =>
  readdirSync(BUILT)
    .filter((name) => name !== MANIFEST)
    .filter((name) => name !== 'page.html.gz');
const textOf = (name: string): string => gunzipSync(readFileSync(join(BUILT, `${name}.gz`))).toString();

/** The assets that a tag of the page names. */
async function named(tag: RegExp): Promise<string[]> {
  const names = (await page()).matchAll(new RegExp(`${tag.source}"${ASSETS}/([^"]+)"`, 'g'));
  return Array.from(names, ([, name = '']) => name);
}
const script = async () => (await named(/<script type="module" src=/))[0] ?? '';
const style = async () => (await named(/<link rel="stylesheet" href=/))[0] ?? '';
const preloaded = () => named(/<link rel="modulepreload" href=/);

/** What a script loads before it runs. */
function importsOf(name: string, found = new Set<string>()): Set<string> {
  for (const [, imported = ''] of textOf(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) {
    if (found.has(imported)) continue;
    found.add(imported);
    importsOf(imported, found);
  }
  return found;
}

function expectNotFound(path: string, { status, headers, json }: Answer): void {
  expect([path, status, json]).toEqual([path, 404, NOT_FOUND]);
  expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
}

test.each([
  ...VIEWS,
  ...['/console/users/', '/console/audit?event=token_theft', '/console/no/such/view', '/console/a%20b', '/console/..a'],
])('Interface 19: the page is at %s', async (path) => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': POLICY },
    ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', vary: 'Accept-Encoding' },
  });
  expect(answer.cookies).toEqual([]);
  expect(answer.text).toBe(await page());
  const compressed = await get(path, { 'accept-encoding': 'gzip' });
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', etag: answer.headers.etag });
  const head = await gateway.send('HEAD', path);
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag]);
});

test('Interface 19: a path of any length is the page', async () => {
  expect((await get(`/console/${'x'.repeat(12_000)}`)).text).toBe(await page());
});

test('Interface 19: who has the page already is answered 304, and stores it no more than before', async () => {
  const { etag } = (await get('/console/')).headers;
  const again = await get('/console/users', { 'if-none-match': String(etag) });
  expect([again.status, again.text, again.headers['cache-control']]).toEqual([304, '', 'no-store']);
});

test('Interface 19: the page has no script and no style of its own, and is found by no search engine', async () => {
  const text = await page();
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">\n/);
  expect(text).not.toMatch(/<script(?![^>]* src="\/)|<style| style=| on\w+=| action=/);
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect(text).toMatch(/<noscript>.*JavaScript.*<\/noscript>/);
  expect((await named(/(?:href|src)=/)).toSorted()).toEqual(
    [await script(), await style(), ...(await preloaded())].toSorted(),
  );
});

test.each<[env: Record<string, string>, publicUrl: string, explorer: boolean, setPassword: boolean]>([
  [{}, 'http://localhost:3000', true, false],
  [{ MAIL: 'log', GRAPHQL_EXPLORER: 'false' }, 'http://localhost:3000', false, true],
  [{ MAIL: 'log', SET_PASSWORD_URL: 'http://app.example.com/password' }, 'http://localhost:3000', true, false],
  [{ ...PRODUCTION, CONSOLE: 'on' }, PRODUCTION.PUBLIC_URL, false, false],
])('Interface 19: the page knows of its gateway what it needs: %j', async (env, publicUrl, explorer, setPassword) => {
  const other = await startGateway({ env });
  const { text } = await other.send('GET', '/console/');
  expect(text).toContain(
    `<div id="root" data-public-url="${publicUrl}" data-explorer="${explorer}" data-set-password="${setPassword}" data-product-name="${new URL(publicUrl).host}">`,
  );
  await other.close();
});

test('Interface 21: the page says the name of the product, whatever characters that has', async () => {
  const other = await startGateway({ env: { PRODUCT_NAME: `A & <b>"Co"</b> $& 'Ltd'` } });
  const { text } = await other.send('GET', '/console/');
  expect(text).toContain(` data-product-name="A &amp; &lt;b&gt;&quot;Co&quot;&lt;/b&gt; $&amp; 'Ltd'">`);
  await other.close();
});

test('Interface 19: each file that the build has made is an asset, which browsers cache for good', async () => {
  expect((await get(`${ASSETS}/${MANIFEST}`)).status).toBe(404);
  expect(files()).toEqual(expect.arrayContaining([`${await script()}.gz`, `${await style()}.gz`]));
  for (const file of files()) {
    expect(file).toMatch(/^[\w-]+-[A-Z0-9]{8}\.(js|css)\.gz$/);
    const name = file.replace(/\.gz$/, '');
    const path = `${ASSETS}/${name}`;
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers).toMatchObject({
      'content-type': `text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(answer.text).toBe(textOf(name));
    const compressed = await get(path, { 'accept-encoding': 'gzip' });
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(readFileSync(join(BUILT, file)).length),
    });
    const head = await gateway.send('HEAD', `${path}?v=1`);
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag]);
    const again = await get(path, { 'if-none-match': String(answer.headers.etag) });
    expect([again.status, again.headers['cache-control']]).toEqual([304, answer.headers['cache-control']]);
  }
});

test('Interface 19: the page names all that its script loads at once, which is less than 40 kB', async () => {
  const first = await script();
  expect((await preloaded()).toSorted()).toEqual([...importsOf(first)].toSorted());
  const sizes = [first, ...importsOf(first)].map((name) => readFileSync(join(BUILT, `${name}.gz`)).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(40_000);
});

test('Interface 19: a name that the build has not made is 404, and never the page', async () => {
  const name = await script();
  for (const wrong of [
    ...['', '/', '.', '..', '../page.html', '../../program/main.js', '%2e%2e/page.html', '..%2f..%2fprogram%2fmain.js'],
    ...['page.js', 'page.css', 'page.html', 'page.html.gz', 'page-AAAAAAAA.js', `${name}.gz`, name.toLowerCase()],
    ...[
      `${name}/`,
      `/${name}`,
      `./${name}`,
      `${name}%00`,
      `${name}%00.css`,
      `${name}.map`,
      `%00`,
      '%',
      '%ff',
      '%c3%28',
    ],
    ...['__proto__', 'constructor', '..\\page.html', '%5c..%5cpage.html', name.replace('-', '%2D'), 'x'.repeat(12_000)],
  ]) {
    expectNotFound(wrong, await get(`${ASSETS}/${wrong}`));
  }
  expectNotFound(ASSETS, await get(ASSETS));
  expectNotFound('POST', await gateway.send('POST', `${ASSETS}/page.js`));
  expect((await gateway.send('HEAD', `${ASSETS}/page.js`)).status).toBe(404);
});

test.each([
  ...['/console/..', '/console/.', '/console/../metrics', '/console/%2e%2e/metrics', '/console/users/.%2E/x'],
  ...['/console/users%2f..%2f..%2fmetrics', '/console/..%5cmetrics', '/console/users/..\\..\\metrics'],
  ...['/console/%61ssets/page.js', '/console/assets%2fpage.js', '/console/users/%2e%2e/assets/page.js'],
  ...['/console/users%00', '/console/%0d%0aSet-Cookie:a=b', '/console/%', '/console/%ff', '/console/%c3%28'],
  ...['/Console', '/consoles', '/console.html', '/console%2fusers', '//console', '/%63onsole', '/x/console'],
])('Interface 19: what another program may take for another path is 404: %s', async (path) => {
  expectNotFound(path, await get(path));
});

test('Interface 19: the page and its assets are only read', async () => {
  for (const path of [...VIEWS, `${ASSETS}/${await script()}`, `${ASSETS}/${await style()}`]) {
    for (const method of READ_ONLY) {
      const { status, headers, json } = await gateway.send(method, path);
      expect([method, path, status, headers['allow'], headers['cache-control'], json.reason]).toEqual([
        ...[method, path, 405, 'GET, HEAD', 'no-store', 'method_not_allowed'],
      ]);
    }
  }
});

test.each<[env: Record<string, string>, isOn: boolean]>([
  [{ CONSOLE: 'off' }, false],
  [{ CONSOLE: 'on' }, true],
  [PRODUCTION, false],
  [{ NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:3000' }, false],
  [{ ...PRODUCTION, CONSOLE: 'off' }, false],
  [{ ...PRODUCTION, CONSOLE: 'on' }, true],
])('Interface 19: %j: it is served: %j', async (env, isOn) => {
  const asset = `${ASSETS}/${await script()}`;
  const other = await startGateway({ env });
  for (const path of [...VIEWS, asset]) {
    if (isOn) expect([path, (await other.send('GET', path)).status]).toEqual([path, 200]);
    else expectNotFound(path, await other.send('GET', path));
    expect([path, (await other.send('POST', path)).status]).toEqual([path, isOn ? 405 : 404]);
  }
  const { text } = await other.send('GET', '/'); // without links in production
  expect(/<li><a href="([^"]+)">/.exec(text)?.[1] === '/console/').toBe(isOn && !('NODE_ENV' in env));
  await other.close();
});

test('Interface 19: the log and the metrics have the route, and grow with no path', async () => {
  const asset = `${ASSETS}/${await script()}`;
  captured.clear();
  const secret = 'label-attack';
  for (const path of ['/console/', `/console/${secret}`, '/console/%', asset, `${ASSETS}/${secret}`, '/consoles']) {
    await get(path);
  }
  await gateway.send('POST', `/console/${secret}`);
  const lines = captured.lines().filter(({ msg }) => msg === 'request');
  expect(lines.map(({ level, method, route, status }) => [level, method, route, status])).toEqual([
    ['info', 'GET', '/console', 200],
    ['info', 'GET', '/console', 200],
    ['info', 'GET', '/console', 404],
    ['info', 'GET', '/console/assets', 200],
    ['info', 'GET', '/console/assets', 404],
    ['info', 'GET', undefined, 404],
    ['info', 'POST', '/console', 405],
  ]);
  expect(captured.text()).not.toContain(secret);
  const { text } = await get('/metrics');
  const samples = readMetrics(text).get('http_server_request_duration_seconds')?.samples ?? [];
  const routes = new Set(samples.map(({ labels }) => labels['http_route']));
  expect([...routes].filter((route) => route?.startsWith('/console')).toSorted()).toEqual(['/console', ASSETS]);
  expect(text).not.toContain(secret);
});
