/** What glibc and libuv read before any JavaScript runs is set also where somebody types `node dist/program/main.js`. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { send, startGateway, type TestGateway } from '../support/gateway.js';
import { startProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const ENV = { UV_THREADPOOL_SIZE: String(2 * availableParallelism() + 2), MALLOC_ARENA_MAX: '1' };
const OLD = `--max-old-space-size=${Math.min(1_024, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20))}`;
const NEW = '--max-semi-space-size=8';

test.each([
  { given: {}, env: ENV, options: [OLD, NEW] },
  { given: { UV_THREADPOOL_SIZE: '' }, env: ENV, options: [OLD, NEW] },
  { given: { UV_THREADPOOL_SIZE: '7' }, env: { ...ENV, UV_THREADPOOL_SIZE: '7' }, options: [OLD, NEW] },
  { given: { MALLOC_ARENA_MAX: '3' }, env: { ...ENV, MALLOC_ARENA_MAX: '3' }, options: [OLD, NEW] },
  { given: { NODE_OPTIONS: '--max_old_space_size=2000' }, env: ENV, options: [NEW] },
  { given: { NODE_OPTIONS: '--max-semi-space-size=16' }, env: ENV, options: [OLD] },
])('a gateway that is given $given runs with $env and $options, as the same process', async (row) => {
  await using server = await startProcess(gateway, row.given);
  const live = () => send(server.url, 'GET', '/health/live').catch(() => undefined);
  await until('it listens', async () => (await live())?.status === 200);
  const of = (file: string): string[] => readFileSync(`/proc/${server.process.pid}/${file}`, 'utf8').split('\0');
  expect(of('environ')).toEqual(expect.arrayContaining(Object.entries(row.env).map((pair) => pair.join('='))));
  expect(of('cmdline').slice(1, -2)).toEqual(row.options);
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
});
