/** Interface 2 and 10: several workers start and end as one process does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn, PASSWORD, startGateway, type TestGateway } from './support/gateway.js';
import { holdNewRecords } from './support/hold.js';
import { login, refresh } from './support/routes.js';
import { startProcess } from './support/server-process.js';
import { until } from './support/until.js';
import { commandOf, startWorkers } from './support/workers.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const PENDING = 8;

test('Interface 10: a signal to all processes, as of a terminal: what is in flight is answered, and all end with 0', async () => {
  await using server = await startWorkers(gateway);
  const workers = server.workers();
  const { email } = await gateway.user();
  const tokens: string[] = [];
  for (let i = 0; i < PENDING; i += 1) tokens.push((await logIn(gateway, email)).refreshToken);
  await using held = await holdNewRecords(gateway);
  const pending = tokens.map((token) => refresh(server, token));
  await held.waiting(PENDING);
  for (const pid of [...workers, server.process.pid ?? 0]) process.kill(pid, 'SIGINT');
  const isRefused = () =>
    server.send('GET', '/health/live').then(
      () => false,
      ({ code }) => code === 'ECONNREFUSED',
    );
  await until('nobody listens', isRefused);
  await held.release();
  const answers = await Promise.all(pending);
  expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual(
    Array(PENDING).fill([200, 'close']),
  );
  expect(await server.exited).toEqual([0, null]);
  expect(workers.map(commandOf)).toEqual(['', '']);
  expect(server.errors()).toBe('');
  expect(server.lines.filter(({ msg }) => /^stop/.test(String(msg))).map(({ msg }) => msg)).toEqual([
    'stopping',
    'stopped',
  ]);
});

test('Interface 2: until SHUTDOWN_DELAY_SECONDS is over each worker answers, and is not ready; a second signal ends it', async () => {
  await using server = await startWorkers(gateway, { SHUTDOWN_DELAY_SECONDS: '300' });
  const ready = async () => (await server.send('GET', '/health/ready').catch(() => undefined))?.status;
  expect(await ready()).toBe(200);
  server.process.kill('SIGTERM');
  let unready = 0;
  await until('no worker is ready', async () => {
    unready = (await ready()) === 503 ? unready + 1 : 0;
    return unready === 20;
  });
  await until('a later signal ends it', async () => {
    if ((await ready()) === undefined) return true;
    server.process.kill('SIGTERM');
    return false;
  });
  expect(await server.exited).toEqual([0, null]);
});

test('Interface 2: a worker that cannot start ends the start, with its own words and exit code', async () => {
  await using server = await startProcess(gateway, { WORKERS: '2', KEYRING_FILE: '/nonexistent/keyring.json' });
  expect(await server.exited).toEqual([78, null]);
  expect(server.errors()).toMatch(/^.*\/nonexistent\/keyring\.json.*\n$/);
});

test('Interface 2: a second gateway does not share the port; kill -9 of what has the workers leaves nothing running', async () => {
  await using server = await startWorkers(gateway);
  const workers = server.workers();
  expect(workers).toHaveLength(2);
  const PORT = new URL(server.url).port;
  await using second = await startProcess(gateway, { WORKERS: '2', PORT });
  expect(await second.exited).toEqual([1, null]);
  expect(second.errors()).toContain(`port ${PORT} of 127.0.0.1 is in use already: end what listens there, or set PORT`);

  server.process.kill('SIGKILL');
  await until('they are gone', () => workers.every((pid) => commandOf(pid) === ''));
  await expect(server.send('GET', '/health/live')).rejects.toThrow('ECONNREFUSED');
});

test('Interface 1: on an empty embedded database one administrator is made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-workers-'));
  try {
    const env = { DATABASE_URL: '', KEYRING_FILE: '', PUBLIC_URL: '', DATA_DIR: join(folder, 'data') };
    await using server = await startWorkers(gateway, env);
    const passwords = Array.from(server.errors().matchAll(/^password: (.+)$/gm), ([, password]) => password);
    expect(passwords).toHaveLength(1);
    expect((await login(server, 'admin@example.com', passwords[0])).status).toBe(200);
    expect((await login(server, 'admin@example.com', PASSWORD)).status).toBe(401);
    expect(server.lines.filter(({ msg }) => msg === 'database migrated')).toEqual([
      expect.objectContaining({ worker: 1 }),
    ]);
    server.process.kill('SIGTERM');
    expect(await server.exited).toEqual([0, null]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
