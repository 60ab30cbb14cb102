/** CONTRACT 2: SHUTDOWN_DELAY_SECONDS, in a process of its own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Answer, PASSWORD, send, startGateway, type TestGateway } from '../support/gateway.js';
import { KEYRING_FILE, required } from '../support/postgres.js';
import { freePort } from '../support/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ passwords: 'argon2' });
});
afterAll(() => gateway.close());

interface Running {
  server: ChildProcessByStdio<null, Readable, null>;
  exited: Promise<unknown[]>;
  get(path: string): Promise<Answer>;
  logIn(): Promise<Answer>;
}

/** Runs the build with that delay until the end of `work`. */
async function withDelay(seconds: number, work: (running: Running) => Promise<void>): Promise<void> {
  const port = await freePort();
  const env = { DATABASE_URL: gateway.database.url, KEYRING_FILE: required(KEYRING_FILE), PORT: String(port) };
  const server = spawn(process.execPath, ['dist/src/main.js'], {
    env: { PATH: process.env['PATH'], ...env, SHUTDOWN_DELAY_SECONDS: String(seconds) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const { email } = await gateway.user();
  const url = `http://127.0.0.1:${port}`;
  try {
    for await (const line of createInterface({ input: server.stdout })) if (JSON.parse(line).msg === 'ready') break;
    await work({
      server,
      exited,
      get: (path) => send(url, 'GET', path),
      logIn: () => send(url, 'POST', '/auth/login', { body: { email, password: PASSWORD } }),
    });
  } finally {
    server.kill('SIGKILL');
    await exited;
  }
}

test('2 until the delay is over everything is answered, and ready is 503; a second signal ends it', async () => {
  await withDelay(300, async ({ server, exited, get, logIn }) => {
    expect((await get('/health/ready')).status).toBe(200);
    for (let i = 0; i < 3; i += 1) server.kill('SIGTERM'); // one signal, passed on by whoever is between
    await until('it is not ready', async () => (await get('/health/ready')).status === 503);
    expect((await get('/health/live')).status).toBe(200);
    expect((await logIn()).status).toBe(200);
    // No further signal once the listener is closed: one that comes while Node takes itself down would end it at once.
    const answers = () => get('/health/live').then(Boolean, () => false);
    await until('a later signal ends it', async () => {
      if (await answers()) server.kill('SIGTERM');
      return !(await answers());
    });
    expect(await exited).toEqual([0, null]);
  });
});

test('2 the delay ends by itself', async () => {
  await withDelay(1, async ({ server, exited }) => {
    server.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
