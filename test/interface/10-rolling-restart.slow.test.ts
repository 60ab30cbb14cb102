/** Instances behind a real nginx are restarted in turn, and nobody notices. Needs `nginx` on the PATH. (Interface 10) */
import { Agent, request } from 'node:http';
import { logIn, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { hasNginx, startNginx } from '../support/programs/nginx.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

const withNginx = hasNginx || process.env['REQUIRE_PROGRAMS'] === '1' ? test : test.skip;

const SESSIONS = 8;
const RESTARTS = 2; // of each instance one

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Starts an instance on that port, and waits until it is ready. */
async function start(port: number): Promise<ServerProcess> {
  const server = await startProcess(gateway, {
    PORT: String(port),
    LOG_LEVEL: 'silent',
    REFRESH_RATE_LIMIT: '1000000',
  });
  const ready = () => send(server.url, 'GET', '/health/ready').catch(() => undefined);
  await until('it is ready', async () => (await ready())?.status === 200);
  return server;
}

/** Refreshes on keep-alive connections. @returns the status, 0 without an answer, and the next cookie */
function refresh(url: string, agent: Agent, cookie: string): Promise<{ status: number; cookie: string }> {
  return new Promise((resolve) => {
    const sent = request(`${url}/auth/refresh`, { method: 'POST', agent, headers: { cookie } }, (res) => {
      const next = res.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      res.resume().on('end', () => resolve({ status: res.statusCode ?? 0, cookie: next }));
    });
    sent.on('error', () => resolve({ status: 0, cookie: '' })).end();
  });
}

withNginx('Interface 10: a rolling restart behind nginx loses no answer: every session goes on', async () => {
  const ports = [await freePort(), await freePort()];
  await using cleanUp = new AsyncDisposableStack();
  const servers = await Promise.all(ports.map(start));
  for (const i of ports.keys()) cleanUp.defer(() => servers[i]?.[Symbol.asyncDispose]());
  const nginx = cleanUp.use(await startNginx(ports));
  const agent = new Agent({ keepAlive: true });
  cleanUp.defer(() => agent.destroy());

  let isOver = false;
  let rotations = 0;
  /** Rotates one session on and on, until an answer is not 200. @returns the last status */
  const session = async (): Promise<number> => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    let last = { status: 200, cookie: `refresh_token=${refreshToken}` };
    while (!isOver && last.status === 200) {
      last = await refresh(nginx.url, agent, last.cookie);
      rotations += 1;
    }
    return last.status;
  };
  const sessions = Array.from({ length: SESSIONS }, session);

  for (let n = 0; n < RESTARTS; n += 1) {
    const before = rotations;
    await until('requests go on', () => rotations >= before + 10 * SESSIONS);
    const i = n % ports.length;
    const [server, port] = [servers[i], ports[i]];
    if (server === undefined || port === undefined) throw new Error('there are two');
    server.process.kill('SIGTERM');
    expect(await server.exited).toEqual([0, null]);
    servers[i] = await start(port);
  }
  isOver = true;
  expect(await Promise.all(sessions)).toEqual(Array(SESSIONS).fill(200));
});
