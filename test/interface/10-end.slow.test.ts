/** The process ends whatever hangs: with status 0 after a signal, with 1 after an uncaught error. (Interface 10) */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { LOCKS } from '../../src/db/locks.js';
import { send, startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { type ServerProcess, startProcess } from '../support/gateway/server-process.js';
import { bridgeTo, through } from '../support/postgres/bridge.js';
import { createDatabase } from '../support/postgres/postgres.js';
import { until } from '../support/until.js';

/** Loaded before the gateway: signals that nobody else uses make errors that nobody catches, and no listener ever closes. */
const FAULTS = `
process.on('SIGUSR2', () => setImmediate(() => { throw new Error('with a secret'); }));
process.on('SIGWINCH', () => void Promise.reject(new Error('with a secret')));
require('node:http').Server.prototype.close = function () { return this; };
`;

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), 'gateway-end-'));
  writeFileSync(join(folder, 'faults.cjs'), FAULTS);
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true });
});

type End = (server: ServerProcess) => unknown;

/** No third time: a signal that comes while Node ends, and no longer listens, is what ends it. */
function twice({ process, exited }: ServerProcess): void {
  process.kill('SIGTERM');
  const again = setTimeout(() => process.kill('SIGTERM'), 1_500);
  void exited.then(() => clearTimeout(again));
}

/** @returns what it says on standard error */
async function endsOnFrozenDatabase(end: End, code: number, env: Record<string, string> = {}): Promise<string> {
  const bridge = await bridgeTo(gateway.database.url);
  await using server = await startProcess(gateway, { DATABASE_URL: through(bridge, gateway.database.url), ...env });
  const ready = () => send(server.url, 'GET', '/health/ready').catch(() => undefined);
  await until('it is ready', async () => (await ready())?.status === 200);
  bridge.freeze();
  end(server);
  expect(await server.exited).toEqual([code, null]);
  await bridge.close();
  return server.errors();
}

test('Interface 10: SIGTERM ends it with 0 while the database does not answer', async () => {
  expect(await endsOnFrozenDatabase(({ process }) => process.kill('SIGTERM'), 0)).toBe('');
});

const ENDS: Array<[what: string, end: End, code: number]> = [
  ['SIGTERM', ({ process }) => process.kill('SIGTERM'), 0],
  ['an exception', ({ process }) => process.kill('SIGUSR2'), 1],
  ['a rejection that nobody waits for', ({ process }) => process.kill('SIGWINCH'), 1],
];

test.each(ENDS)('Interface 10: %s ends it even if a listener never closes', async (_what, end, code) => {
  const env = { NODE_OPTIONS: `--require ${join(folder, 'faults.cjs')}` };
  const errors = await endsOnFrozenDatabase(end, code, env);
  expect(errors).toMatch(code === 0 ? /^$/ : /^unexpected error: Error\n/);
  expect(errors).not.toContain('secret');
});

test('Interface 10: SIGTERM twice ends a start that waits for its turn to migrate', async () => {
  const database = await createDatabase('empty');
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query(`select pg_advisory_lock(${LOCKS.migration})`);
    await using server = await startProcess({ ...gateway, database });
    await until('it asks for its turn', async () => {
      const { rows } = await holder.query(`select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_xact_lock%'`);
      return rows.length > 0;
    });
    twice(server);
    expect(await server.exited).toEqual([0, null]);
  } finally {
    await holder.end();
    await database.drop();
  }
});

test('Interface 10: a data folder that cannot be made ends the start', async () => {
  await using server = await startProcess(gateway, { DATABASE_URL: '', DATA_DIR: '/proc/none/data' });
  expect(await server.exited).toEqual([1, null]);
  expect(server.errors()).toBe(
    'the data folder /proc/none/data cannot be used (ENOENT); set DATA_DIR to a folder that can be written\n',
  );
});
