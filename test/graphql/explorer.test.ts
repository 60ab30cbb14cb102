/** Interface 7: the explorer, outside production alone (see also `errors.test.ts`). */
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('Interface 7: the explorer is made once, sent compressed, and cached', async () => {
  const page = (headers: Record<string, string>) =>
    gateway.send('GET', '/graphql', { headers: { accept: 'text/html', ...headers } });
  const compressed = await page({ 'accept-encoding': 'gzip' });
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' });
  expect(Number(compressed.headers['content-length'])).toBeLessThan(4_000_000);
  const etag = String(compressed.headers.etag);
  expect(await page({ 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
  const plain = await page({});
  expect([plain.headers.etag, plain.headers['content-encoding']]).toEqual([etag, undefined]);
  expect(plain.text).toContain('<title>auth-gateway</title>');
});
