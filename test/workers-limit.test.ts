/** Interface 2: SESSION_RATE_LIMIT over several workers: counted by the process that has started them. */
import { startGateway, type TestGateway } from './support/gateway.js';
import { logout } from './support/routes.js';
import { until } from './support/until.js';
import { startWorkers } from './support/workers.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const LIMIT = 20;

test('Interface 2: as many pass as are allowed, whichever worker they come to; where nobody counts it is 503', async () => {
  await using server = await startWorkers(gateway, { SESSION_RATE_LIMIT: String(LIMIT) });
  const from = (address: string) => logout(server, undefined, { 'x-forwarded-for': address });
  const answers = await Promise.all(Array.from({ length: 2 * LIMIT }, () => from('192.0.2.1')));
  const passed = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect([passed.length, refused.length]).toEqual([LIMIT, LIMIT]);
  for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/);
  const seen = () => new Set([...server.answeredBy('without_session'), ...server.answeredBy('rate_limited')]);
  await until('both workers have told of answers', () => seen().size === 2);
  expect((await from('192.0.2.2')).status).toBe(200);

  server.process.kill('SIGSTOP');
  const unanswered = await Promise.all([from('192.0.2.3'), server.send('GET', '/metrics')]);
  expect(unanswered.map(({ status }) => status)).toEqual([503, 503]);
  server.process.kill('SIGCONT');
  await until('it counts again', async () => (await from('192.0.2.3')).status === 200);
});
