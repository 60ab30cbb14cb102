/** REUSE_PORT: several instances, started by bin/auth-gateway, listen on one port and share one PostgreSQL. (Interface 2) */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { logIn, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

interface Instance extends ServerProcess {
  messages: string[];
}

/** Starts an instance and waits until it is ready. */
async function startInstance(PORT: string, env: Record<string, string> = {}): Promise<Instance> {
  const server = await startProcess(gateway, { PORT, REUSE_PORT: 'true', REFRESH_RATE_LIMIT: '1000000', ...env });
  const messages: string[] = [];
  if (server.process.stdout === null) throw new Error('it has no log');
  createInterface({ input: server.process.stdout }).on('line', (line) => messages.push(JSON.parse(line).msg));
  await until('it is ready', () => {
    if (server.process.exitCode !== null) throw new Error(`it has ended: ${server.errors()}`);
    return messages.includes('ready');
  });
  return { ...server, messages };
}

const SESSIONS = 4;

/** Refreshes as a proxy or a browser does, on a connection that stays open. @returns the status and the next cookie */
function refresh(url: string, agent: Agent, cookie: string): Promise<{ status: number; cookie: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/auth/refresh`, { method: 'POST', agent, headers: { cookie } }, (res) => {
      const next = res.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      res.resume().on('end', () => resolve({ status: res.statusCode ?? 0, cookie: next }));
    });
    sent.on('error', reject).end();
  });
}

test('Interface 2: two instances answer on one port, and are replaced one by one without the loss of a request', async () => {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  await using cleanUp = new AsyncDisposableStack();
  const instances = [await startInstance(port), await startInstance(port)];
  for (const i of instances.keys()) cleanUp.defer(() => instances[i]?.[Symbol.asyncDispose]());
  const hasAnswered = ({ messages }: Instance) => messages.includes('request');
  const answer = async (instance: Instance) =>
    until('it answers', async () => {
      expect((await send(url, 'GET', '/.well-known/jwks.json')).status).toBe(200);
      return hasAnswered(instance);
    });
  for (const instance of instances) await answer(instance);

  const agent = new Agent({ keepAlive: true });
  cleanUp.defer(() => agent.destroy());
  let isOver = false;
  /** Rotates one session until an answer is not 200. @returns the last status */
  const session = async (): Promise<number> => {
    const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
    let last = { status: 200, cookie: `refresh_token=${refreshToken}` };
    while (!isOver && last.status === 200) last = await refresh(url, agent, last.cookie);
    return last.status;
  };
  const sessions = Promise.all(Array.from({ length: SESSIONS }, session));
  for (const [i, old] of instances.entries()) {
    old.process.kill('SIGTERM');
    expect(await old.exited).toEqual([0, null]);
    instances[i] = await startInstance(port);
    await answer(instances[i]);
  }
  isOver = true;
  expect(await sessions).toEqual(Array(SESSIONS).fill(200));
});

const taken = (port: number | string, variable = 'PORT') =>
  `port ${port} of 127.0.0.1 is in use already; end what listens there, or set ${variable} to another port\n`;

test('Interface 2: a port that is not shared refuses the start, and so does the METRICS_PORT of another instance', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await using refused = await startProcess(gateway, { PORT: String(port), REUSE_PORT: 'true' });
  expect([await refused.exited, refused.errors()]).toEqual([[1, null], taken(port)]);
  other.close();

  const [PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  await using _first = await startInstance(PORT, { METRICS_PORT });
  await using alone = await startProcess(gateway, { PORT });
  expect([await alone.exited, alone.errors()]).toEqual([[1, null], taken(PORT)]);
  await using second = await startProcess(gateway, { PORT, METRICS_PORT, REUSE_PORT: 'true' });
  expect([await second.exited, second.errors()]).toEqual([[1, null], taken(METRICS_PORT, 'METRICS_PORT')]);
});
