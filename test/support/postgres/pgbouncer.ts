/** A real PgBouncer in transaction mode in front of the PostgreSQL of the tests, if the machine has one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../programs/redis.js';
import { until } from '../until.js';
import { type Bridge, bridgeTo } from './bridge.js';
import type { TestDatabase } from './postgres.js';

export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** What it calls every database; the real name is another. */
const ALIAS = 'gateway';

export interface PgBouncer {
  /** Of the database, through the pooler */
  url: string;
  stop(): Promise<void>;
}

/**
 * @param poolSize connections to the server, which all clients share
 * @param settings more lines of its configuration
 */
export async function startPgBouncer(
  { url, name }: Pick<TestDatabase, 'url' | 'name'>,
  poolSize: number,
  settings: string[] = [],
): Promise<PgBouncer> {
  const server = new URL(url);
  const bridge = await bridgeTo(url);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755); // it gives up the rights of root
  const file = join(folder, 'pgbouncer.ini');
  const behind = `port=${bridge.port} dbname=${name} user=${server.username}`;
  await writeFile(file, pgBouncerConfig(port, behind, poolSize, settings));
  const bouncer = spawn('pgbouncer', pgBouncerWords(file), { stdio: 'ignore' });
  const through = urlOfPgBouncer(port);
  await until('PgBouncer answers', () => answersAsDatabase(through));
  return { url: through, stop: () => stopAll(bouncer, bridge, folder) };
}

/** @param behind port, database and user of the server on loopback, as libpq writes them */
export function pgBouncerConfig(port: number, behind: string, poolSize: number, settings: string[] = []): string {
  return [
    '[databases]',
    `${ALIAS} = host=127.0.0.1 ${behind}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'server_login_retry = 1',
    ...settings,
  ].join('\n');
}

/** It does not run as root. The file has to be readable for nobody. */
export function pgBouncerWords(file: string): string[] {
  return process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file];
}

export function urlOfPgBouncer(port: number): string {
  return `postgresql://gateway@127.0.0.1:${port}/${ALIAS}`;
}

export async function answersAsDatabase(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function stopAll(bouncer: ChildProcess, bridge: Bridge, folder: string): Promise<void> {
  const exited = once(bouncer, 'exit');
  bouncer.kill('SIGKILL');
  await exited;
  await bridge.close();
  await rm(folder, { recursive: true });
}
