/** The poller looks at once after an answer of 503, or what nginx gets in its place. (Interface 10) */
import { createExpressApp } from '../../src/http/express-app.js';
import { type Listening, listen } from '../../src/http/server/listener.js';
import { askAs, FORWARD_AUTH } from '../support/gateway/authz.js';
import { type Instance, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { newCronKey } from '../support/gateway/graphql.js';
import { whileAway } from '../support/postgres/faults.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let listening: Listening;
/** The gateway, with a poller that only counts how often it is asked to look */
let instance: Instance;
let asked = 0;
beforeAll(async () => {
  gateway = await startGateway({ env: FORWARD_AUTH });
  const readiness = { check: async () => ({ database: 'unreachable', clock: 'ok' }) as const };
  const checkSoon = (): void => {
    asked += 1;
  };
  const poller = { begin: () => undefined, checkSoon, stop: async () => undefined };
  const noGraphql = () => Promise.reject(new Error('nobody asks it'));
  listening = await listen(createExpressApp(gateway.app, readiness, poller, noGraphql), '127.0.0.1', 0);
  const url = `http://127.0.0.1:${listening.port}`;
  instance = { ...gateway, url, send: (...request) => send(url, ...request) };
});
afterAll(async () => {
  await listening.stop({ graceMs: 0 });
  await gateway.close();
});
beforeEach(() => {
  asked = 0;
});

test('by an answer of 503, and by none of another status', async () => {
  const statuses = ['/health/live', '/nowhere', '/auth/login'].map(
    async (path) => (await instance.send('GET', path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 404, 405]);
  expect((await instance.send('GET', '/health/ready')).status).toBe(503); // after those
  await until('it is asked', () => asked > 0);
  expect(asked).toBe(1);
});

test.each([
  ['forward-auth', 503],
  ['auth-request', 403],
] as const)('by a question to %s without a database, answered %i', async (family, status) => {
  const { secret } = await newCronKey(gateway);
  await whileAway(gateway.database, async () => {
    const answer = await askAs(instance, family, 'caller=cron', { headers: { 'x-internal-key': secret } });
    expect([answer.status, answer.json.reason]).toEqual([status, 'unavailable']);
  });
  await until('it is asked', () => asked > 0);
  expect(asked).toBe(1);
});
