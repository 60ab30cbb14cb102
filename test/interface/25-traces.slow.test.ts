/** The bundled program exports what it has when it stops, and a collector that hangs does not hold it up. (Interface 25) */
import { logIn, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { login, WRONG } from '../support/gateway/routes.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { startCollector } from '../support/programs/collector.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterAll(() => gateway.close());

const LATER = { OTEL_BSP_SCHEDULE_DELAY: '3600000', LOGIN_RATE_LIMIT: '1000' };

/** @returns seconds from SIGTERM to its end */
async function stop({ process, exited }: ServerProcess): Promise<number> {
  const beganMs = performance.now();
  process.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  return (performance.now() - beganMs) / 1000;
}

async function answering(server: ServerProcess): Promise<typeof gateway> {
  const on = {
    ...gateway,
    url: server.url,
    send: (...request: Parameters<typeof gateway.send>) => send(server.url, ...request),
  };
  await until('it answers', async () => (await on.send('GET', '/health/ready').catch(() => undefined))?.status === 200);
  return on;
}

test.each(['http/json', 'http/protobuf'])('Interface 25: a stop exports what is left: %s', async (protocol) => {
  await using collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: protocol, ...LATER };
  await using server = await startProcess(gateway, { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=its%20key', ...env });
  const on = await answering(server);
  await logIn(on, (await gateway.user()).email);
  await login(on, 'nobody@example.com', WRONG);
  await stop(server);
  expect(collector.spans.map(({ name }) => name)).toEqual([
    ...['rate_limit', 'active_user', 'hash password', 'start_session', 'POST /auth/login'],
    ...['rate_limit', 'active_user', 'hash password', 'count_failure_in_users', 'POST /auth/login'],
  ]);
  expect(collector.exports).toHaveLength(1);
  expect(collector.exports[0]?.headers).toMatchObject({ 'api-key': 'its key' });
});

test.each(['that hangs', 'that is away'])(
  'Interface 25: a collector %s holds up neither a request nor the end',
  async (how) => {
    await using collector = await startCollector();
    collector.answer(0);
    const url = how === 'that hangs' ? collector.url : `http://127.0.0.1:${await freePort()}`;
    await using server = await startProcess(gateway, { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...LATER });
    const on = await answering(server);
    await logIn(on, (await gateway.user()).email);
    expect(await stop(server)).toBeLessThan(20);
  },
);
