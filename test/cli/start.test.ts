/** What glibc and libuv read before any JavaScript runs is set also where somebody types `node dist/src/main.js`. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { send, startGateway, type TestGateway } from '../support/gateway.js';
import { startProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const THREADS = String(2 * availableParallelism() + 2);

test.each([
  [{}, { UV_THREADPOOL_SIZE: THREADS, MALLOC_ARENA_MAX: '1' }],
  [{ UV_THREADPOOL_SIZE: '' }, { UV_THREADPOOL_SIZE: THREADS, MALLOC_ARENA_MAX: '1' }],
  [{ UV_THREADPOOL_SIZE: '7' }, { UV_THREADPOOL_SIZE: '7', MALLOC_ARENA_MAX: '1' }],
  [{ MALLOC_ARENA_MAX: '3' }, { UV_THREADPOOL_SIZE: THREADS, MALLOC_ARENA_MAX: '3' }],
])('a gateway that is given %j runs with %j, as the same process', async (given, has) => {
  await using server = await startProcess(gateway, { ...given, NODE_OPTIONS: '--no-deprecation' });
  const live = () => send(server.url, 'GET', '/health/live').catch(() => undefined);
  await until('it listens', async () => (await live())?.status === 200);
  const of = (file: string): string[] => readFileSync(`/proc/${server.process.pid}/${file}`, 'utf8').split('\0');
  const env = Object.fromEntries(of('environ').map((line) => line.split('=', 2)));
  expect(env).toMatchObject({ ...has, NODE_OPTIONS: '--no-deprecation' });
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
});
