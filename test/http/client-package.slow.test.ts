/** The client that the gateway serves: how it is sent, and its use from Node after `npm install`. (Interface 13) */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PASSWORD, startGateway, type TestGateway } from '../support/gateway/gateway.js';

const LISTED = 'https://app.example.com';
const FILES = [
  ['/client.js', 'text/javascript; charset=utf-8'],
  ['/client.tgz', 'application/gzip'],
] as const;
const PATHS = FILES.map(([path]) => path);

let gateway: TestGateway;
beforeAll(async () => {
  const env = { NODE_ENV: 'production', PUBLIC_URL: 'https://auth.example.com', CORS_ORIGINS: LISTED };
  gateway = await startGateway({ env });
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}) => gateway.send('GET', path, { headers });

test.each(FILES)('Interface 13: in production %s is sent as %s, to every origin', async (path, type) => {
  for (const origin of [undefined, LISTED, 'https://other.example.net', 'null']) {
    const headers = origin === undefined ? {} : { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
    const answer = await get(path, headers);
    const head = await gateway.send('HEAD', path, { headers });
    expect([answer.status, head.status, head.text]).toEqual([200, 200, '']);
    for (const sent of [answer.headers, head.headers]) {
      expect(sent).toMatchObject({
        'content-type': type,
        'content-length': answer.headers['content-length'],
        'cache-control': 'public, max-age=3600',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        etag: answer.headers.etag,
      });
      expect(sent['access-control-allow-credentials']).toBeUndefined();
      expect(sent['set-cookie']).toBeUndefined();
    }
  }
});

test.each(PATHS)('Interface 13: %s has a strong ETag for each form of its content', async (path) => {
  const forms = [await get(path), await get(path, { 'accept-encoding': 'gzip' })];
  for (const { headers } of forms) expect(headers.etag).toMatch(/^"[\w-]{43}"$/);
  const [plain, compressed] = forms.map(({ headers }) => String(headers.etag));
  expect(plain === compressed).toBe(path === '/client.tgz');
  for (const [etag = '', encoding] of [
    [plain, 'identity'],
    [compressed, 'gzip'],
  ]) {
    const headers = { 'accept-encoding': String(encoding) };
    const fresh = await get(path, { ...headers, 'if-none-match': etag });
    expect([fresh.status, fresh.text, fresh.headers.etag]).toEqual([304, '', etag]);
    expect(fresh.headers).toMatchObject({
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
    });
    expect((await get(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
  }
});

test('Interface 13: /client.js is compressed for those who take it so', async () => {
  const compressed = await get('/client.js', { 'accept-encoding': 'br, gzip' });
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(Number(compressed.headers['content-length'])).toBeLessThan(6_000);
  const plain = await get('/client.js', { 'accept-encoding': 'gzip;q=0' });
  expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(plain.text.split('\n')[0]).toBe(`/* @auth-gateway/client ${version}, MIT */`);
});

test.each(PATHS)('Interface 13: %s is only read: another method is 405, which is not cached', async (path) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await gateway.send(method, path, { headers: { origin: LISTED } });
    expect([method, status, headers['allow'], headers['cache-control']]).toEqual([
      ...[method, 405, 'GET, HEAD', 'no-store'],
    ]);
  }
});

describe('in a new project', () => {
  let folder: string;
  const run = async (program: string, ...args: string[]): Promise<string> => {
    // No registry answers: npm asks one for React, the optional peer, and goes on without.
    const registry = { npm_config_registry: 'http://localhost:9', npm_config_fetch_retries: '0' };
    const npm = { npm_config_cache: join(folder, 'cache'), ...registry };
    const env = { PATH: process.env['PATH'] ?? '', npm_config_audit: 'false', ...npm };
    return (await promisify(execFile)(program, args, { cwd: folder, env })).stdout;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-served-'));
    await writeFile(join(folder, 'package.json'), '{}'); // without it npm looks for one in the folders above
    await run('npm', 'install', `${gateway.url}/client.tgz`);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('Interface 13: npm installs /client.tgz, by the hash of what is served', async () => {
    const bytes = await (await fetch(`${gateway.url}/client.tgz`)).bytes();
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(lock.packages['node_modules/@auth-gateway/client']).toMatchObject({
      version, // that of the gateway
      resolved: `${gateway.url}/client.tgz`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    });
    await rm(join(folder, 'node_modules'), { recursive: true });
    await run('npm', 'ci');
  });

  test('Interface 13: /client.tgz holds what npm pack would pack', async () => {
    const pack = ['pack', resolve('client'), '--json', '--pack-destination', folder];
    const packed = JSON.parse(await run('npm', ...pack));
    const { filename } = packed[0] ?? packed['@auth-gateway/client'];
    await writeFile(join(folder, 'served.tgz'), await (await fetch(`${gateway.url}/client.tgz`)).bytes());
    for (const [file, to] of [
      [filename, 'packed'],
      ['served.tgz', 'served'],
    ]) {
      await mkdir(join(folder, to));
      await run('tar', '-xzf', file, '-C', to);
    }
    expect(await run('diff', '-r', 'packed', 'served')).toBe(''); // which fails if they differ
  });

  test('Interface 13: Node logs in with what npm has installed', async () => {
    const { email } = await gateway.user({ role: 'analyst' });
    await writeFile(
      join(folder, 'use.mjs'),
      `import { createAuthClient } from '@auth-gateway/client/browser';
       import { signRequest } from '@auth-gateway/client/sign';
       const [url, email, password] = process.argv.slice(2);
       const auth = createAuthClient({ url });
       const { role } = await auth.login({ email, password });
       console.log(role, Object.keys(signRequest({ method: 'GET', url, keyId: 'ak_', secret: 'aks_' })).join());
       process.exit();`,
    );
    expect(await run(process.execPath, 'use.mjs', gateway.url, email, PASSWORD)).toBe(
      'analyst signature-input,signature\n',
    );
  });
});
