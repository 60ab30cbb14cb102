/** The embedded PostgreSQL: creates the cluster in the data folder, and starts, supervises and stops its server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataDirOwnership } from './owner.js';
import {
  acceptsConnections,
  clearLeftovers,
  clusterDirOf,
  connect,
  createClusterDir,
  createRunDir,
  socketUrl,
  stopServer,
} from './postmaster.js';
import {
  type AsRoot,
  chooseAccount,
  closeToOthers,
  commandOf,
  EmbeddedPostgresError,
  findPrograms,
  giveTo,
  linkLibraries,
  type Programs,
  runProgram,
} from './programs.js';

type Log = (level: 'info' | 'error', message: string) => void;

export interface EmbeddedPostgresOptions {
  /** False only in tests: a crash of the machine may lose data. */
  durable?: boolean;
  log?: Log;
  /** For tests: further settings of the server */
  settings?: Record<string, string>;
  /** For tests: how to run as root. By default the first way that works. */
  asRoot?: AsRoot;
}

export interface EmbeddedPostgres {
  /** Database `auth_gateway` as its owner. The superuser is `postgres`; there are no passwords. */
  url: string;
  /** Stops the server for good and waits for its end. Close connections first. */
  stop(): Promise<void>;
}

interface Cluster extends Programs {
  clusterDir: string;
  logFile: string;
  superuserUrl: string;
  isDurable: boolean;
  settings: Record<string, string>;
}

const LOG_BYTES = 10 * 1024 * 1024;
const START_SECONDS = 60;
const RETRY_MS = 250;

/**
 * Starts the server of the owned data folder, after stopping one that a killed gateway has left. Until `stop()`, a
 * server that exits is restarted under the same URL.
 * @throws {EmbeddedPostgresError} if it cannot run here or is not ready within a minute; the message has the end of its log
 */
export async function startEmbeddedPostgres(
  owned: DataDirOwnership,
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(owned.dataDir, options);
  const stopping = new AbortController();
  const server = await startServer(cluster, stopping.signal);
  const supervised = supervise(cluster, server, stopping.signal, options.log ?? (() => {}));
  const stop = async () => {
    stopping.abort();
    await supervised;
  };
  await createDatabase(cluster).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url: socketUrl(cluster.runDir), stop };
}

async function prepareCluster(dataDir: string, options: EmbeddedPostgresOptions): Promise<Cluster> {
  const native = await findPrograms();
  const runDir = await createRunDir(dataDir);
  await linkLibraries(native, runDir);
  // The run folder stays ours, so that other processes of the account cannot use the socket.
  const account = await chooseAccount(native, runDir, options.asRoot);
  if (account.uid !== process.geteuid?.()) await closeToOthers(dataDir); // nor reach the files, which it owns
  const clusterDir = clusterDirOf(dataDir);
  const superuserUrl = socketUrl(runDir, 'postgres', 'postgres');
  const logFile = join(dataDir, 'pg.log');
  const { durable: isDurable = true, settings = {} } = options;
  const cluster = { native, runDir, account, clusterDir, superuserUrl, logFile, isDurable, settings };
  if (existsSync(join(clusterDir, 'PG_VERSION'))) await giveTo(account, clusterDir);
  else await initCluster(dataDir, cluster);
  return cluster;
}

/** Creates the cluster under a temporary name and renames it, so that a kill leaves no half-made cluster. */
async function initCluster(dataDir: string, cluster: Cluster): Promise<void> {
  const newDir = await createClusterDir(dataDir);
  await giveTo(cluster.account, newDir);
  const words = ['-D', newDir, '-U', 'postgres', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  words.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--auth-local=trust', '--auth-host=reject');
  if (!cluster.isDurable) words.push('--no-sync');
  await runProgram(cluster, 'initdb', words);
  await fs.rename(newDir, cluster.clusterDir);
  const handle = await fs.open(dataDir);
  await handle.sync().finally(() => handle.close());
}

function serverOptions({ clusterDir, runDir, isDurable, settings: further }: Cluster): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${runDir.replaceAll('"', '""')}"`,
    timezone: 'UTC',
    max_wal_size: '256MB', // so that crash recovery takes seconds
    // Less memory, for one gateway on a machine that people work at
    shared_buffers: '32MB',
    io_method: 'sync', // without its three workers
    max_logical_replication_workers: '0',
    log_checkpoints: 'off',
    // Statements and DETAIL lines may hold rows with password hashes, which must not reach the log.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: '0',
    log_error_verbosity: 'terse',
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...further,
  };
  return ['-D', clusterDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

async function startServer(cluster: Cluster, stopping: AbortSignal): Promise<ChildProcess> {
  const deadlineMs = performance.now() + START_SECONDS * 1000;
  while (true) {
    stopping.throwIfAborted();
    await clearLeftovers(cluster.clusterDir, cluster.runDir);
    const { server, logOffset } = await spawnServer(cluster);
    for (let waitMs = 10; !hasEnded(server) && performance.now() < deadlineMs && !stopping.aborted; waitMs *= 1.2) {
      if (await acceptsConnections(cluster.superuserUrl)) return server;
      await sleep(Math.min(waitMs, 500));
    }
    if (server.pid) await stopServer(cluster.clusterDir, server.pid);
    const logged = (await fs.readFile(cluster.logFile)).subarray(logOffset).toString().trimEnd();
    const end = logged.split('\n').slice(-10).join('\n');
    // Backends of a killed server hold its shared memory for a moment.
    if (!end.includes('shared memory block') || performance.now() > deadlineMs) {
      throw new EmbeddedPostgresError(`The embedded PostgreSQL did not start. The end of ${cluster.logFile}:\n${end}`);
    }
    await sleep(RETRY_MS);
  }
}

/** In its own process group, so that Ctrl-C in a terminal reaches only the gateway, which then stops it. */
async function spawnServer(cluster: Cluster): Promise<{ server: ChildProcess; logOffset: number }> {
  const log = await fs.open(cluster.logFile, 'a', 0o600);
  if ((await log.stat()).size > LOG_BYTES) await log.truncate();
  const logOffset = (await log.stat()).size;
  const [program, words, options] = commandOf(cluster, 'postgres', serverOptions(cluster));
  const server = spawn(program, words, { ...options, detached: true, stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  const endWithUs = () => server.kill('SIGINT');
  process.once('exit', endWithUs); // if stop() was not called, as after an uncaught exception
  server.once('exit', () => process.off('exit', endWithUs));
  server.on('error', () => {}); // then it has no pid
  return { server, logOffset };
}

function hasEnded(server: ChildProcess): boolean {
  return server.pid === undefined || server.exitCode !== null || server.signalCode !== null;
}

async function createDatabase(cluster: Cluster): Promise<void> {
  const client = await connect(cluster.superuserUrl);
  try {
    const roles = await client.query("SELECT FROM pg_roles WHERE rolname = 'auth_gateway'");
    if (roles.rowCount === 0) await client.query('CREATE ROLE auth_gateway LOGIN');
    // The gateway logs failing statements. Even their first lines may quote what a client sent.
    await client.query("ALTER ROLE auth_gateway SET log_min_messages = 'log'");
    const databases = await client.query("SELECT FROM pg_database WHERE datname = 'auth_gateway'");
    if (databases.rowCount === 0) await client.query('CREATE DATABASE auth_gateway OWNER auth_gateway');
  } finally {
    await client.end();
  }
}

/** Restarts the server whenever it exits; stops it on `stopping`. */
async function supervise(cluster: Cluster, first: ChildProcess, stopping: AbortSignal, log: Log): Promise<void> {
  let server = first;
  let delayMs = RETRY_MS;
  while (!stopping.aborted) {
    const startedMs = performance.now();
    if (!hasEnded(server)) await once(server, 'exit', { signal: stopping }).catch(() => {});
    if (stopping.aborted) break;
    log('error', `PostgreSQL exited unexpectedly (${server.signalCode ?? server.exitCode}) and is restarted`);
    if (performance.now() - startedMs > START_SECONDS * 1000) delayMs = RETRY_MS;
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {});
    delayMs = Math.min(delayMs * 2, 40 * RETRY_MS);
    try {
      server = await startServer(cluster, stopping);
      log('info', 'PostgreSQL runs again');
    } catch (error) {
      if (!stopping.aborted) log('error', String(error));
    }
  }
  if (server.pid) await stopServer(cluster.clusterDir, server.pid);
  await fs.rm(cluster.runDir, { recursive: true, force: true });
}
