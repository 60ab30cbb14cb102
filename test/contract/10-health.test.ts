/** CONTRACT 10: health. */
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('10 live and ready are 200 while the database answers', async () => {
  const live = await gateway.send('GET', '/health/live');
  expect([live.status, live.json]).toEqual([200, { status: 'live' }]);
  const ready = await gateway.send('GET', '/health/ready');
  expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }]);
  expect(ready.headers['cache-control']).toBe('no-store');
  expect((await gateway.send('HEAD', '/health/ready')).status).toBe(200);
});

test('10 a request id of the caller comes back where it is plain, else a new one', async () => {
  const idFor = async (given: string): Promise<unknown> =>
    (await gateway.send('GET', '/health/live', { headers: { 'x-request-id': given } })).headers['x-request-id'];
  expect(await idFor('abc-123.D_e:f')).toBe('abc-123.D_e:f');
  for (const odd of ['', 'a b', 'x"y', '<x>', 'x'.repeat(129)]) {
    expect(await idFor(odd)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
