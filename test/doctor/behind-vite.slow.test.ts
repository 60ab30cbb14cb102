/**
 * PUBLIC_URL is Vite's, which forwards only some paths; the start page and doctor, whichever starts first.
 * (Interface 2 and 9)
 */
import { readConfig } from '../../src/config/config.js';
import { examineAtStart } from '../../src/doctor/examine.js';
import { look } from '../support/gateway/doctor.js';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { captureLog } from '../support/gateway/log.js';
import { startProcess } from '../support/gateway/server-process.js';
import { KEYRING_FILE, required } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { startVite } from '../support/programs/vite.js';
import { until } from '../support/until.js';

let gateway: TestGateway;
let port: number;
let env: { PUBLIC_URL: string; KEYRING_FILE: string; DATABASE_URL: string };
beforeAll(async () => {
  port = await freePort();
  const PUBLIC_URL = `http://localhost:${port}`;
  gateway = await startGateway({ env: { PUBLIC_URL } });
  env = { PUBLIC_URL, KEYRING_FILE: required(KEYRING_FILE), DATABASE_URL: gateway.database.url };
});
afterAll(() => gateway.close());

const only = 'public_url';

/** What the gateway logs about PUBLIC_URL after its start. */
async function logged(tries: number, meanwhile: () => Promise<void> = async () => undefined): Promise<unknown[]> {
  const { log, lines } = captureLog();
  const { signal } = new AbortController();
  const pauses = Array(tries).fill(20);
  const examined = examineAtStart(readConfig(env), gateway.database.url, log, signal, pauses);
  await meanwhile();
  await examined;
  return lines().filter(({ check }) => check === only);
}

test('Interface 9: Vite forwards the login alone: doctor has nothing to say, as a command and after the start', async () => {
  await using _vite = await startVite(port, gateway.url, ['/auth']);
  expect(await logged(0)).toEqual([]);
  expect(await look(env, { only })).toEqual([
    {
      severity: 'ok',
      check: only,
      seen: expect.stringMatching(/^a gateway answers at PUBLIC_URL\/auth\/login, .* Vite$/),
      remedy: null,
    },
  ]);
  expect(await look({ ...env, NODE_ENV: 'production' }, { only })).toMatchObject([
    { severity: 'warning', remedy: expect.stringContaining('forward every path') },
  ]);
});

test('Interface 9: the gateway is there first: Vite is waited for, and forwards what the page says; if it does not come, it is named', async () => {
  expect(await logged(1)).toEqual([
    expect.objectContaining({ level: 'warn', check: only, remedy: expect.stringContaining('such as Vite') }),
  ]);
  await using stack = new AsyncDisposableStack();
  const found = await logged(10_000, async () => void stack.use(await startVite(port, gateway.url)));
  expect(found).toEqual([]);
  const [seen] = await look(env, { only });
  expect(seen).toMatchObject({ severity: 'ok', check: only, seen: 'this gateway answers there, with the same key' });
});

test('Interface 9: Vite without a gateway behind it is a fault', async () => {
  await using _vite = await startVite(port, `http://127.0.0.1:${await freePort()}`);
  expect(await look(env, { only })).toMatchObject([
    { severity: 'fault', remedy: expect.stringContaining('start the gateway') },
  ]);
});

test('Interface 2: the start page is that of the gateway, whichever is first', async () => {
  const PORT = String(await freePort());
  const startPage = async (): Promise<string> => {
    await using server = await startProcess(gateway, { ...env, PORT });
    let log = '';
    server.process.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
    await until('it is ready', () => /"msg":"ready"\}\n/.test(log));
    const { start_page } = JSON.parse(log.split('\n').find((line) => line.includes('"msg":"ready"')) ?? '');
    expect((await send(start_page, 'GET', '')).text).toContain('auth-gateway');
    return start_page;
  };
  const first = await startPage();
  expect(first).toBe(`http://127.0.0.1:${PORT}/`);
  await using _vite = await startVite(port, `http://127.0.0.1:${PORT}`);
  expect(await startPage()).toBe(first);
});
