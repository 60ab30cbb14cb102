/** The explorer, in development only: how it is sent, and its first queries. (Interface 2) */
import { QUERIES } from '../../pages/explorer/queries.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { ask, newcomer } from '../support/gateway/graphql.js';

const FILES = [
  ['/graphql', 'text/html; charset=utf-8', 'Accept, Accept-Encoding', '<title>auth-gateway: explorer</title>'],
  ['/graphql/page.js', 'text/javascript; charset=utf-8', 'Accept-Encoding', 'Execute query'],
  ['/graphql/page.css', 'text/css; charset=utf-8', 'Accept-Encoding', '.suggestions'],
] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const HTML = { accept: 'text/html,*/*' };

test.each(FILES)(
  'Interface 2: %s is sent compressed, and browsers cache it until it changes',
  async (path, type, vary, part) => {
    const get = (headers = {}) => gateway.send('GET', path, { headers: { ...HTML, ...headers } });
    const compressed = await get({ 'accept-encoding': 'gzip' });
    expect(compressed.headers).toMatchObject({ 'content-type': type, 'content-encoding': 'gzip', vary });
    expect(Number(compressed.headers['content-length'])).toBeLessThan(80_000);
    const etag = String(compressed.headers.etag);
    expect(await get({ 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    const plain = await get();
    expect([plain.headers.etag, plain.headers['content-encoding']]).toEqual([etag, undefined]);
    expect(plain.text).toContain(part);
    expect(plain.headers['cache-control']).toBe('no-cache');
    const head = await gateway.send('HEAD', path, { headers: HTML });
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', etag]);
  },
);

test('Interface 21: the explorer says whose it is, and each page has the mark', async () => {
  const { text } = await gateway.send('GET', '/graphql', { headers: HTML });
  expect(text).toContain('data-product-name="localhost:3000"');
  for (const path of ['/graphql', '/console/', '/set-password']) {
    const page = await gateway.send('GET', path, { headers: HTML });
    expect([path, page.text]).toEqual([
      path,
      expect.stringContaining('<link rel="icon" href="data:image/svg+xml,%3Csvg '),
    ]);
  }
});

test('Interface 2: the files of the explorer exist only with it, and can only be read', async () => {
  for (const path of ['/graphql/page.js', '/graphql/page.css']) {
    const answer = await gateway.send('POST', path);
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  }
  const without = await startGateway({ env: { GRAPHQL_EXPLORER: 'false' } });
  for (const [path] of FILES) {
    const { status } = await without.send('GET', path, { headers: HTML });
    expect(status).toBe(path === '/graphql' ? 405 : 404);
  }
  for (const method of ['GET', 'PUT']) {
    expect((await without.send(method, '/graphql', { headers: HTML })).headers['allow']).toBe('POST');
  }
  await without.close();
});

test.each(QUERIES)('Interface 2: a first query of the explorer is answered: %s', async (query) => {
  const { as } = await newcomer(gateway, 'admin');
  expect(await ask(gateway, as, query)).toMatchObject({ status: 200, errors: [] });
});
