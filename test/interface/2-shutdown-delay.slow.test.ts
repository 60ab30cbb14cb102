/** SHUTDOWN_DELAY_SECONDS, in a process of its own. (Interface 2) */
import { PASSWORD, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterAll(() => gateway.close());

/** Starts the build with that delay, and waits until it is ready. */
async function startWithDelay(seconds: number): Promise<ServerProcess> {
  const server = await startProcess(gateway, { SHUTDOWN_DELAY_SECONDS: String(seconds) });
  await until('it is ready', () => statusOf(server, '/health/ready').then((status) => status === 200));
  return server;
}

/** Undefined if nobody listens */
function statusOf({ url }: ServerProcess, path: string): Promise<number | undefined> {
  return send(url, 'GET', path).then(
    ({ status }) => status,
    () => undefined,
  );
}

test('Interface 2: until the delay is over everything is answered, and ready is 503; a second signal ends it', async () => {
  await using server = await startWithDelay(300);
  for (let i = 0; i < 3; i += 1) server.process.kill('SIGTERM'); // one signal, passed on by the processes between
  await until('it is not ready', async () => (await statusOf(server, '/health/ready')) === 503);
  const live = await send(server.url, 'GET', '/health/live');
  expect([live.status, live.headers.connection]).toEqual([200, 'close']); // so that keep-alive connections end
  const { email } = await gateway.user();
  expect((await send(server.url, 'POST', '/auth/login', { body: { email, password: PASSWORD } })).status).toBe(200);
  // No further signal once the listener is closed: one that comes while Node takes itself down would end it at once.
  await until('a later signal ends it', async () => {
    if ((await statusOf(server, '/health/live')) === undefined) return true;
    server.process.kill('SIGTERM');
    return false;
  });
  expect(await server.exited).toEqual([0, null]);
});

test('Interface 2: the delay ends by itself', async () => {
  await using server = await startWithDelay(1);
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
});
