/** What libuv, glibc and V8 read before any JavaScript runs is set by bin/auth-gateway, unless the operator has set it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const OURS = '--max-old-space-size=1024 --max-semi-space-size=16 ';
const SET = {
  UV_THREADPOOL_SIZE: String(2 * availableParallelism() + 2),
  MALLOC_ARENA_MAX: '1',
  NODE_OPTIONS: OURS,
};

test.each<[given: Record<string, string>, set: Record<string, string>]>([
  [{}, SET],
  [{ UV_THREADPOOL_SIZE: '' }, SET],
  [{ UV_THREADPOOL_SIZE: '7' }, { ...SET, UV_THREADPOOL_SIZE: '7' }],
  [{ MALLOC_ARENA_MAX: '3' }, { ...SET, MALLOC_ARENA_MAX: '3' }],
  [{ NODE_OPTIONS: '--max_old_space_size=2000' }, { ...SET, NODE_OPTIONS: `${OURS}--max_old_space_size=2000` }],
])('a gateway that is given %j runs with %j, as the same process', async (given, set) => {
  await using server = await startProcess(gateway, given);
  const live = () => send(server.url, 'GET', '/health/live').catch(() => undefined);
  await until('it listens', async () => (await live())?.status === 200);
  const environment = readFileSync(`/proc/${server.process.pid}/environ`, 'utf8').split('\0');
  expect(environment).toEqual(expect.arrayContaining(Object.entries(set).map((pair) => pair.join('='))));
  const words = readFileSync(`/proc/${server.process.pid}/cmdline`, 'utf8').split('\0');
  expect(words.slice(1, 3)).toEqual(['--min-semi-space-size=8', '--no-allocation-site-pretenuring']);
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
});

test('of two sizes of the heap the last one wins, which is that of the operator', () => {
  const heapMib = (NODE_OPTIONS: string): number =>
    Number(
      spawnSync(process.execPath, ['-p', 'Math.floor(v8.getHeapStatistics().heap_size_limit / 2 ** 20)'], {
        env: { NODE_OPTIONS },
        encoding: 'utf8',
      }).stdout,
    );
  expect(heapMib(OURS)).toBe(1_024 + 3 * 16);
  expect(heapMib(`${OURS}--max_old_space_size=2000`)).toBe(2_000 + 3 * 16);
  expect(heapMib(`${OURS}--max-semi-space-size=32`)).toBe(1_024 + 3 * 32);
});
