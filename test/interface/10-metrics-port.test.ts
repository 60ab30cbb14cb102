/** METRICS_PORT, the listener of metrics. (Interface 2 and 10) */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const statusOf = async (url: string, path: string): Promise<number | undefined> =>
  (await send(url, 'GET', path).catch(() => undefined))?.status;

test('Interface 10: with METRICS_PORT metrics are there, and there alone; both ports end with SIGTERM', async () => {
  const port = String(await freePort());
  await using server = await startProcess(gateway, { METRICS_PORT: port });
  const metricsUrl = `http://127.0.0.1:${port}`;
  await until('it listens', async () => (await statusOf(server.url, '/health/ready')) === 200);
  const paths = ['/metrics', '/health/live', '/health/ready', '/.well-known/jwks.json', '/auth/login', '/graphql'];
  const statuses = async (url: string) => Promise.all(paths.map((path) => statusOf(url, path)));
  expect(await statuses(server.url)).toEqual([404, 200, 200, 200, 405, 405]);
  expect(await statuses(metricsUrl)).toEqual([200, 404, 404, 404, 404, 404]);
  const wrong = await send(metricsUrl, 'POST', '/metrics');
  expect([wrong.status, wrong.headers.allow, wrong.json]).toEqual([
    405,
    'GET, HEAD',
    { detail: 'Method not allowed', reason: 'method_not_allowed' },
  ]);
  const families = readMetrics((await send(metricsUrl, 'GET', '/metrics')).text);
  const requests = 'http_server_request_duration_seconds_count';
  expect(figureOf(families, requests, { http_route: '/health/live', http_response_status_code: '200' })).toBe(1);

  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
});

test('Interface 10: a METRICS_PORT that is in use ends the start with a line that names it', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await using server = await startProcess(gateway, { METRICS_PORT: String(port) });
  expect(await server.exited).toEqual([1, null]);
  const line = `port ${port} of 127.0.0.1 is in use already; end what listens there, or set METRICS_PORT to another port`;
  expect(server.errors()).toBe(`${line}\n`);
  expect(await statusOf(server.url, '/health/live')).toBeUndefined();
  taken.close();
});
