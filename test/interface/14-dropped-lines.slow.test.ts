/** A log that cannot be written stops nothing: a full disk, a closed pipe, a pipe that nobody reads. (Interface 14) */
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { figureOf, readMetrics } from '../support/independent/prometheus.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function listens({ url }: ServerProcess): Promise<void> {
  const live = () => send(url, 'GET', '/health/live').catch(() => undefined);
  await until('it listens', async () => (await live())?.status === 200);
}

async function dropped({ url }: ServerProcess): Promise<number> {
  const { text } = await send(url, 'GET', '/metrics');
  return figureOf(readMetrics(text), 'auth_gateway_log_lines_dropped_total') ?? Number.NaN;
}

/** Requests that are logged, one line each. */
async function ask({ url }: ServerProcess, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) expect((await send(url, 'POST', '/nowhere')).status).toBe(404);
}

async function ends(server: ServerProcess): Promise<void> {
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(server.errors()).toBe('');
}

test('Interface 14: on a full disk requests are answered, lines are counted, and SIGTERM ends it', async () => {
  const full = openSync('/dev/full', 'w');
  await using server = await startProcess(gateway, {}, full);
  closeSync(full);
  await listens(server);
  const before = await dropped(server);
  expect(before).toBeGreaterThan(0); // the line of the start
  await ask(server, 5);
  await until('the lines are counted', async () => (await dropped(server)) === before + 5);
  await ends(server);
});

test('Interface 14: the same with a pipe that is closed', async () => {
  await using server = await startProcess(gateway);
  await listens(server);
  expect(await dropped(server)).toBe(0);
  server.process.stdout?.destroy();
  await ask(server, 5);
  await until('the lines are counted', async () => (await dropped(server)) === 5);
  await ends(server);
});

/** Asks until the pipe is full. @returns how often */
async function fillPipe(server: ServerProcess): Promise<number> {
  let asked = 0;
  while ((await dropped(server)) === 0) {
    await ask(server, 100);
    asked += 100;
  }
  return asked;
}

test('Interface 14: the same with a pipe that nobody reads; once somebody does, the log says how many lines were lost', async () => {
  await using server = await startProcess(gateway);
  await listens(server); // nothing reads the pipe: Node does so only from the first listener on
  let asked = await fillPipe(server);
  const { stdout } = server.process;
  if (stdout === null) throw new Error('there is no pipe');
  const lines: Array<Record<string, unknown>> = [];
  createInterface({ input: stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const losses = () => lines.flatMap(({ dropped_lines }) => (dropped_lines === undefined ? [] : Number(dropped_lines)));
  await until('the loss is logged', async () => {
    await ask(server, 1);
    asked += 1;
    return losses().length > 0;
  });
  const requests = () => lines.filter(({ msg }) => msg === 'request').length;
  // On a slow machine a line of doctor's, ten seconds after the start, may be among those that are lost.
  await until('each request is logged or counted as lost', async () => requests() + (await dropped(server)) >= asked);
  const lost = await dropped(server);
  expect(lines.find(({ dropped_lines }) => dropped_lines !== undefined)).toMatchObject({
    level: 'warn',
    msg: 'log lines could not be written',
  });
  const ended = once(stdout, 'end');
  await ends(server);
  await ended;
  expect(losses().reduce((sum, each) => sum + each)).toBe(lost);
  expect(lines.slice(-2).map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);
});

test('Interface 14: a pipe that nobody reads does not hold up the end', async () => {
  await using server = await startProcess(gateway);
  await listens(server);
  await fillPipe(server);
  await ends(server);
});
