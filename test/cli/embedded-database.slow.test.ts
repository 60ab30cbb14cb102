/** A command on the embedded database, whether a gateway runs on it or not. (Interface 9) */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messagesOf, run } from '../support/gateway/cli.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

let folder: string;
let gateway: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-cli-'));
  await chmod(folder, 0o700);
});
afterEach(async () => {
  await stopGateway();
  await rm(folder, { recursive: true, force: true });
});

async function startGateway(env: Record<string, string>): Promise<void> {
  const started = spawn('bin/auth-gateway', ['start'], {
    env: { PATH: process.env['PATH'], PORT: String(await freePort()), ...env },
  });
  gateway = started;
  let log = '';
  started.stdout.on('data', (chunk) => {
    log += chunk;
  });
  await until('the gateway is ready', () => log.includes('"msg":"ready"'));
}

async function stopGateway(): Promise<void> {
  if (gateway === undefined || gateway.exitCode !== null) return;
  gateway.kill('SIGTERM');
  await once(gateway, 'exit');
}

test('Interface 9: an embedded database is joined if a gateway runs, and started if not; no command creates a keyring', async () => {
  const env = { DATA_DIR: join(folder, 'data') };
  await startGateway(env);
  const joined = await run(['user', 'list', '--json'], { env });
  expect(joined.stderr).toBe(`database: embedded in ${env.DATA_DIR} (joined the running gateway)\n`);
  expect(JSON.parse(joined.stdout)).toMatchObject([{ email: 'admin@example.com' }]);
  await stopGateway();

  const keyring = join(env.DATA_DIR, 'keyring.json');
  await rm(keyring);
  const started = await run(['user', 'list', '--json'], { env });
  expect(started.stderr).toBe(`database: embedded in ${env.DATA_DIR} (started for this command)\n`);
  expect(started.stdout).toBe(joined.stdout);
  expect((await run(['keyring', 'rotate'], { env })).code).toBe(78);
  expect(existsSync(keyring)).toBe(false);

  const following = await run(['audit', 'tail', '--follow'], { env });
  expect([following.code, following.stdout]).toEqual([1, '']);
  expect(messagesOf(following)).toMatch(/^no gateway is running on this database/);
});
