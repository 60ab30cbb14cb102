/** No second keyring is created for a database that is in use. (Interface 2, KEYRING_FILE) */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/db/database.js';
import { migrateUp } from '../../src/db/migrate.js';
import { openDataDir } from '../../src/db/open/data-dir.js';
import { createLogger } from '../../src/platform/create-logger.js';
import { run } from '../support/gateway/cli.js';
import { createDatabase } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';
import { until } from '../support/until.js';

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
  const child = spawn('bin/auth-gateway', ['start'], {
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

const lost = (file: string): string =>
  `cannot read the keyring ${file} (ENOENT), but this database was used with one; restore it from another instance or a ` +
  'backup, or correct KEYRING_FILE. With a new keyring every session would end and no API key would work; if there is no ' +
  'copy, see docs/runbook.md#a-lost-keyring\n';
const missing = (file: string): string =>
  `cannot read the keyring ${file} (ENOENT); put it there; for a new gateway run: auth-gateway keyring create --out ${file}\n`;

test.each<[what: string, database: 'migrated' | 'empty', sql: string, said: typeof lost]>([
  [
    'with users',
    'migrated',
    `insert into users (id, email, password_hash, role) values ($1, 'a@example.com', '', 'viewer')`,
    lost,
  ],
  [
    'with a webhook',
    'migrated',
    `insert into webhooks (id, url, include_emails, sealed_secret, created_at) values ($1, '', false, '', now())`,
    lost,
  ],
  ['without users', 'migrated', 'select $1::uuid', missing],
  ['without tables', 'empty', 'select $1::uuid', missing],
])('Interface 3: an external database %s: the start says what helps', async (_what, from, sql, words) => {
  const database = await createDatabase(from);
  try {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(sql, ['0191d9c6-0000-7000-8000-000000000001']);
    await client.end();
    const KEYRING_FILE = join(folder, 'lost.json');
    const ran = await run(['start'], { env: { ...env, DATABASE_URL: database.url, KEYRING_FILE } });
    expect([ran.code, ran.stderr]).toEqual([78, words(KEYRING_FILE)]);
    expect(existsSync(KEYRING_FILE)).toBe(false);
  } finally {
    await database.drop();
  }
});

test('Interface 3: if the database does not answer, the start gives both remedies, like doctor', async () => {
  const KEYRING_FILE = join(folder, 'lost.json');
  const away = { ...env, DATABASE_URL: 'postgresql://127.0.0.1:1/none', KEYRING_FILE };
  const ran = await run(['start'], { env: away });
  expect([ran.code, ran.stderr]).toEqual([78, missing(KEYRING_FILE)]);
  const looked: Array<{ check: string; seen: string; remedy: string }> = JSON.parse(
    (await run(['doctor', '--json'], { env: away })).stdout,
  );
  const found = looked.find(({ check }) => check === 'keyring');
  expect(`${found?.seen}; ${found?.remedy}\n`).toBe(missing(KEYRING_FILE));
});

test('a slip in KEYRING_FILE is refused, unless a keyring is made there on purpose', async () => {
  await startAndStop();
  const keyring = readFileSync(join(folder, 'data/keyring.json'), 'utf8');

  const KEYRING_FILE = join(folder, 'slip.json');
  const { child, said, ended } = start({ KEYRING_FILE });
  await until('it has ended, or is ready after all', () => child.exitCode !== null || isReady(said));
  expect(isReady(said)).toBe(false);
  expect(await ended).toEqual([78, null]);
  expect(said.stderr).toBe(lost(KEYRING_FILE));
  expect(existsSync(KEYRING_FILE)).toBe(false);

  await startAndStop();
  expect(readFileSync(join(folder, 'data/keyring.json'), 'utf8')).toBe(keyring);
  expect((await run(['keyring', 'create', '--out', KEYRING_FILE])).code).toBe(0);
  await startAndStop({ KEYRING_FILE });
});

test('a keyring is created for an empty database that an interrupted first start has left', async () => {
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
