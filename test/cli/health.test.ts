/** The command `health` asks the gateway that its own environment configures. (Interface 9 and 10) */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../../src/config/config.js';
import { listen } from '../../src/http/server/listener.js';
import { runHere } from '../support/gateway/cli.js';
import { runningClock } from '../support/gateway/clock.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: runningClock(), maxSkewSeconds: 60 });
});
afterAll(() => gateway.close());

const portOf = ({ url }: { url: string }): string => new URL(url).port;

/** @param env of the command, with which the gateway listens too */
const health = (env: Record<string, string>, ...options: string[]) =>
  runHere(['health', ...options], () => readConfig(env));

const READY = { status: 'ok', checks: { database: 'ok', clock: 'ok' } };

test('a gateway that is ready is shown with its checks, exit 0', async () => {
  const env = { PORT: portOf(gateway) };
  expect(await health(env)).toEqual({
    code: 0,
    stdout: 'status: ok\ndatabase: ok\nclock: ok\n',
    stderr: '',
  });
  const { stdout } = await health(env, '--json');
  expect(JSON.parse(stdout)).toEqual(READY);
});

test('one that is not ready is shown with what is wrong, exit 1; --live does not mind', async () => {
  const env = { PORT: portOf(gateway) };
  gateway.clock.advance(120);
  try {
    expect(await health(env)).toEqual({
      code: 1,
      stdout: 'status: unavailable\ndatabase: ok\nclock: skewed\n',
      stderr: expect.stringMatching(
        /^the gateway is not ready; the clock of this host is 1\d\d(\.\d)? s ahead of the database's/,
      ),
    });
    expect(await health(env, '--live')).toEqual({ code: 0, stdout: 'status: ok\n', stderr: '' });
    const { code, stdout } = await health(env, '--json', '--wait', '1s');
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      { status: 'unavailable', checks: { database: 'ok', clock: 'skewed' } },
    ]);
  } finally {
    gateway.clock.advance(-120);
  }
});

test.each(['--wait=0', '--wait=1s', '--live'])(
  'if nobody listens it names the address that it asked, exit 1: %s',
  async (option) => {
    const port = await freePort();
    const { code, stdout, stderr } = await health({ PORT: String(port) }, option);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`no gateway answers at http://127.0.0.1:${port}/health/`);
    expect(stderr).toMatch(/; set PORT to that of the instance\n$/);
  },
);

test.each([
  ['200', (url = '') => (url === '/health/ready' ? '{"status":"fine"}' : '')],
  ['no JSON', () => 'ok'],
])('what answers and is no gateway (%s) is not ready', async (_, body) => {
  const server = createServer((req, res) => void res.end(body(req.url))).listen(0, '127.0.0.1');
  try {
    await until('it listens', () => server.listening);
    const { code, stdout } = await health({ PORT: String((server.address() as AddressInfo).port) });
    expect([code, stdout]).toEqual([1, '']);
  } finally {
    server.close();
  }
});

test.each(['0.0.0.0', '::', '::1', 'localhost'])('a gateway that listens at %s is found', async (host) => {
  const { port, stop } = await listen(gateway.app, host, 0);
  const env = { LISTEN_HOST: host, PORT: String(port) };
  expect(await health(env, '--wait', '5m', '--json')).toMatchObject({ code: 0, stderr: '' });
  await stop({ graceMs: 0 });
});

test('a wrong configuration is reported, exit 78', async () => {
  const { code, stderr } = await health({ PORT: 'many' });
  expect([code, stderr]).toEqual([78, expect.stringContaining('PORT')]);
});
