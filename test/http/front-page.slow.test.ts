/** The page at `/` in a process: its commands work, and the log names it. (Interface 2) */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PASSWORD, send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startProcess } from '../support/gateway/server-process.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';
import { shownIn } from './shown.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const hasCurl = spawnSync('curl', ['--version']).status === 0 || process.env['REQUIRE_PROGRAMS'] === '1';
(hasCurl ? test : test.skip)('Interface 2: the commands of the page work as they are shown', async () => {
  const { email } = await gateway.user({ email: 'you@example.com' });
  const page = (await gateway.send('GET', '/')).text;
  expect(page).toContain(email);
  const folder = await mkdtemp(join(tmpdir(), 'front-page-'));
  const run = async (command: string): Promise<string> => {
    const here = command.replaceAll(gateway.config.publicUrl, gateway.url).replace('PASSWORD', PASSWORD);
    return (await promisify(execFile)('bash', ['-c', here], { cwd: folder })).stdout;
  };
  const [logIn = '', whoAmI = '', goOn = ''] = shownIn(page, 'pre');
  const token = /"access_token":"([^"]+)"/.exec(await run(logIn))?.[1] ?? '';
  expect(JSON.parse(await run(whoAmI.replace('TOKEN', token)))).toEqual({
    data: { caller: { callerType: 'user', scopes: [] } },
  });
  expect(await run(goOn)).toMatch(/ 200 OK.*"expires_in":900.* 200 OK.*"Logged out successfully"/s);
  await rm(folder, { recursive: true });
});

test.each([
  ['development', true],
  ['production', false],
])('Interface 2: in %s the line ready names the page: %j', async (mode, isNamed) => {
  const PORT = String(await freePort());
  const PUBLIC_URL = `http://localhost:${PORT}`;
  await using server = await startProcess(gateway, { PORT, PUBLIC_URL, NODE_ENV: mode });
  let log = '';
  server.process.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  await until('it is ready', () => /"msg":"ready"\}\n/.test(log));
  const ready = log.split('\n').find((line) => line.includes('"msg":"ready"')) ?? '';
  expect(JSON.parse(ready).start_page).toBe(isNamed ? `${PUBLIC_URL}/` : undefined);
  const statuses = await Promise.all(
    ['/', '/graphql/page.js', '/graphql/page.css'].map(async (path) => (await send(server.url, 'GET', path)).status),
  );
  expect(statuses).toEqual(isNamed ? [200, 200, 200] : [200, 404, 404]);
});
