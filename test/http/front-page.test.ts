/**
 * The page at `/`, as the start names it: its links lead somewhere, and its commands work; in production it is a
 * sentence. (Interface 5)
 */
import { readFile } from 'node:fs/promises';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { shownIn } from './shown.js';

let gateway: TestGateway;
let page: string;
beforeAll(async () => {
  gateway = await startGateway();
  page = (await gateway.send('GET', '/')).text;
});
afterAll(() => gateway.close());

test('Interface 2: every link of the page leads somewhere', async () => {
  const links = Array.from(page.matchAll(/href="(\/[^"]*)"/g), ([, path = '']) => path);
  expect(links).toEqual(expect.arrayContaining(['/graphql', '/openapi.json', '/health/ready', '/metrics']));
  for (const path of links) {
    expect([path, (await gateway.send('GET', path, { headers: { accept: 'text/html' } })).status]).toEqual([path, 200]);
  }
});

test.each([
  [{ MAIL: 'log' }, 1],
  [{ MAIL: 'off' }, 0],
  [{ MAIL: 'log', SET_PASSWORD_URL: 'http://app.example.com/password' }, 0],
])('Interface 15: the page for forgotten passwords is linked only where it is: %j', async (env, links) => {
  const other = await startGateway({ env });
  const { text } = await other.send('GET', '/');
  expect(text.split('href="/set-password"')).toHaveLength(links + 1);
  if (links > 0) expect((await other.send('GET', '/set-password')).status).toBe(200);
  await other.close();
});

test('Interface 5: the documents of the page are sent as text, as they are in the repository', async () => {
  const named = shownIn(page, 'a').filter((text) => text.endsWith('.md'));
  expect(named).toEqual(expect.arrayContaining(['README.md', 'docs/login.md']));
  for (const path of named) {
    const { headers, text } = await gateway.send('GET', `/${path}`);
    expect([path, headers['content-type'], headers['cache-control']]).toEqual([
      ...[path, 'text/plain; charset=utf-8', 'no-store'],
    ]);
    expect(text).toBe(await readFile(path, 'utf8'));
    expect((await gateway.send('POST', `/${path}`)).headers['allow']).toBe('GET, HEAD');
  }
  for (const other of ['/CHANGELOG.md', '/package.json', '/docs/', '/docs/../package.json', '/docs/login.md/']) {
    expect([other, (await gateway.send('GET', other)).status]).toEqual([other, 404]);
  }
});

test('Interface 2: the page loads nothing and runs no script, and is only read', async () => {
  const answer = await gateway.send('GET', '/');
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none';[^']*'none';[^']*'none';[^']*'none';/);
  expect(answer.headers['content-security-policy']).not.toMatch(/script|unsafe|http|self/);
  const etag = String(answer.headers.etag);
  expect(await gateway.send('GET', '/', { headers: { 'if-none-match': etag } })).toMatchObject({
    status: 304,
    text: '',
  });
  expect(await gateway.send('HEAD', '/')).toMatchObject({ status: 200, text: '' });
  for (const method of ['POST', 'OPTIONS']) {
    const refused = await gateway.send(method, '/');
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
  }
});

test.each([
  { NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:3000' },
  { PUBLIC_URL: 'https://auth.example.com' },
])('Interface 5: in production `/` says what this is, and nothing of the inside: %j', async (env) => {
  const production = await startGateway({ env });
  const get = (accept?: string) => production.send('GET', '/', accept === undefined ? {} : { headers: { accept } });
  const sentence = 'This service logs people in for an application, and tells its other services who is calling.';
  for (const accept of [
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'text/html',
    'text/html, application/json;q=0.9',
  ]) {
    const { status, headers, text } = await get(accept);
    expect([status, headers['content-type'], headers.vary]).toEqual([
      ...[200, 'text/html; charset=utf-8', 'Accept, Accept-Encoding'],
    ]);
    expect(
      text
        .replace(/<style>.*<\/style>/s, '')
        .replace(/<[^>]*>/g, '')
        .trim()
        .split(/\n+/),
    ).toEqual([...['auth-gateway', 'auth-gateway', sentence]]);
    expect(headers['content-security-policy']).not.toMatch(/script|unsafe|http|self/);
  }
  for (const accept of [undefined, '*/*', 'application/json', 'application/json, text/html', 'image/png']) {
    const { status, headers, json } = await get(accept);
    expect([status, headers['content-type'], headers.vary, json]).toEqual([
      ...[200, 'application/json; charset=utf-8', 'Accept, Accept-Encoding', { detail: sentence }],
    ]);
  }
  expect(await production.send('HEAD', '/')).toMatchObject({ status: 200, text: '' });
  expect((await production.send('POST', '/')).headers['allow']).toBe('GET, HEAD');
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    expect((await production.send(method, '/README.md')).status).toBe(404);
  }
  await production.close();
});
