/** SIGTERM to a gateway in a process of its own. (Interface 10) */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { logIn, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { holdNewRecords } from '../support/postgres/hold.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('Interface 10: SIGTERM: no new connections, the request in flight is answered, exit code 0', async () => {
  const { refreshToken } = await logIn(gateway, (await gateway.user()).email);
  const port = await freePort();
  const env = { DATABASE_URL: gateway.database.url, KEYRING_FILE: required(KEYRING_FILE), PORT: String(port) };
  const server = spawn('bin/auth-gateway', ['start'], {
    env: { PATH: process.env['PATH'], ...env, PUBLIC_URL: gateway.config.publicUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(server, 'exit');
  const lines = createInterface({ input: server.stdout });
  const heard = (message: string): Promise<void> =>
    new Promise((resolve) => lines.on('line', (line) => JSON.parse(line).msg === message && resolve()));
  try {
    await heard('ready');
    await using held = await holdNewRecords(gateway);
    const pending = send(`http://127.0.0.1:${port}`, 'POST', '/auth/refresh', {
      headers: { cookie: `refresh_token=${refreshToken}` },
    });
    await held.waiting(1);
    const stopping = heard('stopping');
    server.kill('SIGTERM');
    await stopping;
    let late = await newConnection(port);
    // Those that come before the listener closes are answered, one in the microseconds of its closing is reset.
    while (late === 200 || late === 'ECONNRESET') late = await newConnection(port);
    expect(late).toBe('ECONNREFUSED');
    await held.release();
    const answer = await pending;
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
    expect(await exited).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
  }
});

/** The status that a request on a connection of its own is answered with, or the code of the connection's error. */
async function newConnection(port: number): Promise<number | string | undefined> {
  const sent = request({ port, host: '127.0.0.1', path: '/health/live', agent: new Agent() }).end();
  return once(sent, 'response').then(
    ([response]) => response.statusCode,
    (error) => error.code,
  );
}
