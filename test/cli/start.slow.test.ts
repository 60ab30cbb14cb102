/** What libuv, glibc and V8 read before any JavaScript runs is set by bin/auth-gateway, unless the operator has set it. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
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
  expect(words.slice(1, 2)).toEqual(['--min-semi-space-size=8']);
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
});

/** Reports how many of Node's modules V8 has compiled anew, once the process ends. */
const REPORT = `import { createRequire } from 'node:module';
const { getCacheUsage } = createRequire('/')('internal/test/binding').internalBinding('builtins');
process.on('exit', () => console.error('compiled anew: ' + [...getCacheUsage().compiledWithoutCache].length));`;

test.each<[how: string, more: string[], compiled: RegExp]>([
  ['takes', [], /^compiled anew: [1-9]$/m], // the few that are loaded once the option is set
  ['could not take', ['--no-allocation-site-pretenuring'], /^compiled anew: \d{3}$/m],
])('a start %s Node’s modules as they are compiled within Node, with the options %j', async (_, more, compiled) => {
  const launched = await startProcess(gateway);
  const isReady = async () => (await send(launched.url, 'GET', '/health/ready').catch(() => undefined))?.status === 200;
  await until('it is ready', isReady);
  const read = (name: string) => readFileSync(`/proc/${launched.process.pid}/${name}`, 'utf8').split('\0').slice(0, -1);
  const [node = '', ...words] = read('cmdline');
  const env = Object.fromEntries(read('environ').map((pair) => pair.split(/=(.*)/s)));
  await launched[Symbol.asyncDispose]();

  const reporting = [
    '--no-warnings',
    '--expose-internals',
    `--import=data:text/javascript,${encodeURIComponent(REPORT)}`,
  ];
  const again = spawn(node, [...reporting, ...more, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = text(again.stderr);
  try {
    await until('it is ready', isReady);
  } finally {
    again.kill('SIGTERM');
  }
  expect(await errors).toMatch(compiled);
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
