/** The page `/account`, as it is served. (Interface 21) */
import { readdirSync } from 'node:fs';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com' };

async function on<T>(env: Record<string, string>, act: (gateway: TestGateway) => Promise<T>): Promise<T> {
  const gateway = await startGateway({ env });
  try {
    return await act(gateway);
  } finally {
    await gateway.close();
  }
}

const pageOf = (env: Record<string, string>) =>
  on(env, async (gateway) => (await gateway.send('GET', '/account')).text);

test('Interface 21: the page has one path, its policy and no cookie; it needs no console', async () => {
  await on({ CONSOLE: 'off' }, async (gateway) => {
    const page = await gateway.send('GET', '/account');
    expect([page.status, page.cookies]).toEqual([200, []]);
    expect(page.headers).toMatchObject({
      ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-security-policy': POLICY },
      ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', vary: 'Accept-Encoding' },
    });
    expect((await gateway.send('HEAD', '/account')).headers.etag).toBe(page.headers.etag);
    for (const path of ['/account/', '/account/sessions', '/Account', '/account/assets', '/account/assets/page.js']) {
      expect([path, (await gateway.send('GET', path)).status]).toEqual([path, 404]);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await gateway.send(method, '/account');
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });
});

test('Interface 21: every file of the build is served for good, and the page names its script and its style', async () => {
  await on({}, async (gateway) => {
    const { text } = await gateway.send('GET', '/account');
    const named = Array.from(text.matchAll(/(?:src|href)="(\/account\/assets\/[^"]+)"/g), ([, path]) => path);
    const files = readdirSync('dist/account').filter((name) => name !== 'page.html.gz');
    const paths = files.map((name) => `/account/assets/${name.replace(/\.gz$/, '')}`);
    expect(paths).toEqual(expect.arrayContaining(named));
    expect(named.length).toBeGreaterThanOrEqual(2);
    for (const path of paths) {
      const { status, headers } = await gateway.send('GET', path);
      expect([path, status, headers['cache-control']]).toEqual([path, 200, 'public, max-age=31536000, immutable']);
    }
  });
});

test.each([
  [{ ACCOUNT: 'off' }, 404],
  [PRODUCTION, 404],
  [{ ...PRODUCTION, ACCOUNT: 'on' }, 200],
  [{}, 200],
])('Interface 21: with %j the page and its files are %i', async (env, status) => {
  const file = readdirSync('dist/account').find((name) => name.startsWith('page-'));
  await on(env, async (gateway) => {
    for (const path of ['/account', `/account/assets/${file?.replace(/\.gz$/, '')}`]) {
      expect([path, (await gateway.send('GET', path)).status]).toEqual([path, status]);
    }
  });
});

test('Interface 21: the page says whose it is, and whether there is mail, devices and an application', async () => {
  const plain = await pageOf({ MAIL: 'off' });
  expect(plain).toContain('data-product-name="localhost:3000"');
  expect(plain).toContain('data-mail="false" data-devices="false" data-set-password="false"');
  expect(plain).not.toContain('data-app-url');
  const full = await pageOf({ MAIL: 'log', KNOWN_DEVICES: 'on', APP_URL: 'https://app.example.com/?a="&b' });
  expect(full).toContain('data-mail="true" data-devices="true" data-set-password="true"');
  expect(full).toContain('data-app-url="https://app.example.com/?a=&quot;&amp;b"');
});

/** Bytes of what a browser loads for the login, compressed. The other parts come with their sections. */
const FIRST_LOAD = 29_500;

test('Interface 21: the first load is small', async () => {
  await on({}, async (gateway) => {
    const { text } = await gateway.send('GET', '/account');
    const named = Array.from(text.matchAll(/(?:src|href)="(\/account\/assets\/[^"]+)"/g), ([, path = '']) => path);
    let bytes = 0;
    for (const path of named) {
      const answer = await gateway.send('HEAD', path, { headers: { 'accept-encoding': 'gzip' } });
      bytes += Number(answer.headers['content-length']);
    }
    expect(bytes).toBeLessThan(FIRST_LOAD);
    expect(bytes).toBeGreaterThan(FIRST_LOAD / 2);
  });
});
