/** A run loads only what it uses. Checked on the output of `tsc`: the bundle has dynamic imports as files of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runningClock } from '../support/gateway/clock.js';
import { startGateway } from '../support/gateway/gateway.js';
import { createDatabase, KEYRING_FILE, required, type TestDatabase } from '../support/postgres/postgres.js';
import { freePort } from '../support/programs/redis.js';

let database: TestDatabase;
let empty: TestDatabase;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-loaded-'));
  database = await createDatabase();
  empty = await createDatabase('empty');
});
afterAll(async () => {
  await database.drop();
  await empty.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs until it ends, or until it is ready and then stopped. @returns the packages, migrations and commands that it has loaded */
async function loadedBy(
  words: string[],
  { url }: Pick<TestDatabase, 'url'> = database,
  port?: string,
  env: Record<string, string> = {},
): Promise<Set<string>> {
  const loadedFile = join(mkdtempSync(join(folder, 'run-')), 'loaded');
  const hook = resolve('test/support/jest/report-loaded.js');
  const child = spawn(process.execPath, ['--import', hook, 'dist/src/main.js', ...words], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      KEYRING_FILE: required(KEYRING_FILE),
      PORT: port ?? String(await freePort()),
      LOADED_FILE: loadedFile,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
    if (!child.killed && said.includes('"msg":"ready"')) child.kill('SIGTERM');
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  const addresses = readFileSync(loadedFile, 'utf8').split('\n');
  const names = addresses.map((address) =>
    /node_modules\/((?:@[^/]+\/)?[^/]+)|(Migration\w+|[a-z]+-commands)\.js$/.exec(address),
  );
  return new Set(names.flatMap((found) => found?.[1] ?? found?.[2] ?? []));
}

const ORM = ['@mikro-orm/core', '@mikro-orm/migrations', 'Migration20261121000001_users_sessions_audit'];
const NOT_AT_START = [...ORM, 'ioredis', 'nodemailer', 'tldts', '@simplewebauthn/server'];

test('a start on a migrated database loads neither the ORM nor migrations, Redis, what doctor looks with, or passkeys', async () => {
  const loaded = await loadedBy(['start']);
  expect([...loaded]).toEqual(expect.arrayContaining(['pg', 'express', 'graphql']));
  expect(NOT_AT_START.filter((name) => loaded.has(name))).toEqual([]);
});

test('Interface 25: the SDK of OpenTelemetry is loaded if there is an endpoint, and otherwise nothing of it but the API', async () => {
  const ofOpenTelemetry = async (env: Record<string, string>) =>
    [...(await loadedBy(['start'], database, undefined, env))].filter((name) => name.startsWith('@opentelemetry/'));
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  expect(await ofOpenTelemetry({})).toEqual(['@opentelemetry/api']); // by prom-client
  expect(await ofOpenTelemetry({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual(['@opentelemetry/api']);
  expect(await ofOpenTelemetry(endpoint)).toEqual(
    expect.arrayContaining(['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-proto']),
  );
});

const ONLY_OF_THE_GATEWAY = [...NOT_AT_START, 'express', 'graphql', 'type-graphql'];

test('--help, which is of every command, loads neither the ORM nor what only the gateway uses', async () => {
  const loaded = await loadedBy(['--help']);
  expect([...loaded]).toContain('zod');
  expect(ONLY_OF_THE_GATEWAY.filter((name) => loaded.has(name))).toEqual([]);
});

test('Interface 9: health opens no database, and loads neither the ORM nor what only the gateway uses', async () => {
  const gateway = await startGateway({ clock: runningClock() });
  try {
    const loaded = await loadedBy(['health'], { url: 'postgresql://127.0.0.1:1/none' }, new URL(gateway.url).port);
    expect([...loaded]).toContain('zod');
    expect(ONLY_OF_THE_GATEWAY.filter((name) => loaded.has(name))).toEqual([]);
  } finally {
    await gateway.close();
  }
});

test.each(['user', 'api-key', 'webhook'])(
  '%s list loads the commands of that noun alone, and makes no hash of a password',
  async (noun) => {
    const module = noun.replace('api-', '');
    const loaded = await loadedBy([noun, 'list']);
    expect([...loaded]).toEqual(expect.arrayContaining(['pg', `${module}-commands`]));
    // p-limit comes with the queue of passwords, whose first hash is made when it is created.
    const others = ['user', 'session', 'key', 'webhook', 'keyring', 'database'].filter((other) => other !== module);
    const unused = [
      ...ONLY_OF_THE_GATEWAY,
      'p-limit',
      'pino',
      'rate-limiter-flexible',
      ...others.map((of) => `${of}-commands`),
    ];
    expect(unused.filter((name) => loaded.has(name))).toEqual([]);
  },
);

test.each(['version', '--version'])('%s loads no package', async (word) => {
  expect([...(await loadedBy([word]))].toSorted()).toEqual(['program-commands']);
});

test('what migrates loads the ORM and every migration', async () => {
  expect([...(await loadedBy(['migrate', 'up'], empty))]).toEqual(expect.arrayContaining(ORM));
});
