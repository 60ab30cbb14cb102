/** Interface 2, KEYRING_FILE: beside an embedded database that is in use no other keyring is made. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.js';
import { openDataDir } from '../src/data-dir.js';
import { openDatabase } from '../src/db/database.js';
import { migrateUp } from '../src/db/migrate.js';
import { createLogger } from '../src/platform/logger.js';
import { run } from './support/cli.js';
import { freePort } from './support/redis.js';
import { until } from './support/until.js';

let folder: string;
let env: Record<string, string>;
let started: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-keyring-'));
  chmodSync(folder, 0o700);
  env = { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()) };
});
afterEach(async () => {
  if (started?.exitCode === null && started.signalCode === null) {
    started.kill('SIGTERM');
    await once(started, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

function start(more: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['dist/program/main.js'], {
    env: { PATH: process.env['PATH'], ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started = child;
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      said[name] += chunk;
    });
  }
  return { child, said, ended: once(child, 'close') };
}

const isReady = (said: { stdout: string }): boolean => said.stdout.includes('"msg":"ready"');

async function startAndStop(more: Record<string, string> = {}): Promise<void> {
  const { child, said, ended } = start(more);
  await until('it is ready', () => isReady(said));
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

test('a slip in KEYRING_FILE is refused, unless a keyring is made there on purpose', async () => {
  await startAndStop();
  const keyring = readFileSync(join(folder, 'data/keyring.json'), 'utf8');

  const KEYRING_FILE = join(folder, 'slip.json');
  const { child, said, ended } = start({ KEYRING_FILE });
  await until('it has ended, or is ready after all', () => child.exitCode !== null || isReady(said));
  expect(isReady(said)).toBe(false);
  expect(await ended).toEqual([78, null]);
  expect(said.stderr).toBe(
    `the keyring ${KEYRING_FILE} is missing, and the database in ${env['DATA_DIR']} was used with one: put it back, or ` +
      'set KEYRING_FILE to where it is. With a new one every login ends and no API key works; where you want that, ' +
      `run: auth-gateway keyring create --out ${KEYRING_FILE}\n`,
  );
  expect(existsSync(KEYRING_FILE)).toBe(false);

  await startAndStop();
  expect(readFileSync(join(folder, 'data/keyring.json'), 'utf8')).toBe(keyring);
  expect((await run(['keyring', 'create', '--out', KEYRING_FILE])).code).toBe(0);
  await startAndStop({ KEYRING_FILE });
});

test('beside a database that is empty, as a first start leaves it that was cut off, one is made', async () => {
  const config = readConfig(env);
  const log = createLogger('silent');
  for (const isMigrated of [false, true]) {
    const opened = await openDataDir(config, 'gateway', log);
    if (isMigrated) {
      const db = await openDatabase(opened.databaseUrl);
      await migrateUp(db, () => undefined);
      await db.close();
    }
    await opened.close();
    rmSync(config.keyringFile);
  }
  const { close } = await openDataDir(config, 'gateway', log);
  await close();
  expect(existsSync(config.keyringFile)).toBe(true);
});
