/** CONTRACT 10: health and metrics. */
import { startGateway, type TestGateway } from '../support/gateway.js';
import { login } from '../support/routes.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
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

test('10 metrics are in the Prometheus text format, by route, status and outcome, and grow with no text of a caller', async () => {
  await login(gateway, 'nobody@example.com');
  await gateway.send('POST', '/metrics-label-attack');
  await gateway.send('PROPFIND', '/auth/login');
  const answer = await gateway.send('GET', '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = answer.text.split('\n');
  expect(lines).toContain('http_requests_total{route="/auth/login",method="POST",status="401"} 1');
  expect(lines).toContain('http_requests_total{route="other",method="POST",status="404"} 1');
  expect(lines).toContain('http_requests_total{route="/auth/login",method="other",status="405"} 1');
  expect(lines).toContain('auth_outcomes_total{outcome="invalid_credentials"} 1');
  expect(lines).toContain('password_queue_length 0');
  expect(answer.text).not.toContain('attack');
  expect(answer.text).not.toContain('nobody');
});

test('10 a request id of the caller comes back where it is plain, else a new one', async () => {
  const idFor = async (given: string): Promise<unknown> =>
    (await gateway.send('GET', '/health/live', { headers: { 'x-request-id': given } })).headers['x-request-id'];
  expect(await idFor('abc-123.D_e:f')).toBe('abc-123.D_e:f');
  for (const odd of ['', 'a b', 'x"y', '<x>', 'x'.repeat(129)]) {
    expect(await idFor(odd)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
});
