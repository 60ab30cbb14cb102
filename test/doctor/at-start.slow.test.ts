/** The gateway looks at its surroundings once after the start, in the background, and logs what is wrong. (Interface 9) */
import { createInterface } from 'node:readline';
import { readConfig } from '../../src/config/config.js';
import { examineAtStart } from '../../src/doctor/examine.js';
import { startEdge, startSilentServer } from '../support/gateway/doctor.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { startProcess } from '../support/gateway/server-process.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Of the PostgreSQL of the tests, and of a database without users */
const OF_TESTS = ['database_durability', 'administrators'];

test('it looks once, and reports each finding in one line; what the start has said is not said again', async () => {
  const port = String(await freePort());
  const slips = { LOGIN_RATE_LIMIT: '1000', CORS_ORIGIN: 'x' };
  const env = { NODE_ENV: 'production', PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, ...slips };
  await using server = await startProcess(gateway, env);
  const lines: Array<Record<string, unknown>> = [];
  if (server.process.stdout === null) throw new Error('it has no log');
  createInterface({ input: server.process.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const logged = () => lines.filter(({ msg }) => String(msg).startsWith('doctor'));
  await until('the last finding is logged', () => logged().some(({ check }) => check === 'metrics_open'));
  server.process.kill('SIGTERM');
  expect(await server.exited).toEqual([0, null]);
  expect(logged().map(({ check }) => check)).toEqual(['login_limits', ...OF_TESTS, 'metrics_open']);
  expect(logged()[0]).toEqual({
    level: 'warn',
    time: expect.any(String),
    check: 'login_limits',
    seen: expect.stringContaining('1000 times'),
    remedy: expect.stringContaining('unset LOGIN_RATE_LIMIT'),
    msg: 'doctor warns',
  });
  expect(logged()[1]).toMatchObject({ level: 'error', msg: 'doctor has found a fault' });
});

test('PUBLIC_URL is asked again until it leads to the gateway', async () => {
  const edge = await startEdge();
  const config = configOf(`http://localhost:${edge.port}`);
  const later = await startGateway({ env: { PUBLIC_URL: config.publicUrl } });
  edge.leadTo(`${later.url}/elsewhere`);
  const captured = captureLog();
  const { signal } = new AbortController();
  const examined = examineAtStart(config, gateway.database.url, captured.log, signal, Array(10_000).fill(10));
  await until('it was asked', () => edge.asked() > 1);
  edge.leadTo(later.url);
  await examined;
  expect(captured.lines().map(({ check }) => check)).toEqual(OF_TESTS);
  await edge.close();
  await later.close();
});

test('it ends with the gateway, whatever it waits for', async () => {
  await using silent = await startSilentServer();
  const captured = captureLog();
  const ending = new AbortController();
  const silentUrl = `postgresql://gateway@127.0.0.1:${silent.port}/gateway`;
  const examined = examineAtStart(configOf('http://localhost:3000'), silentUrl, captured.log, ending.signal);
  ending.abort();
  await expect(examined).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  expect(captured.text()).toBe('');
});

function configOf(publicUrl: string) {
  return readConfig({
    PUBLIC_URL: publicUrl,
    KEYRING_FILE: required(KEYRING_FILE),
    DATABASE_URL: 'postgresql://unused',
  });
}
