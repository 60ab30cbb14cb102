/** The server of a data folder: its folders and URL, finding a running or leftover one, and stopping it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { othersMayReplaceIn } from '../../platform/permissions.js';
import { lockFileOf, readHolder } from './owner.js';
import { EmbeddedPostgresError } from './programs.js';

const SOCKET_NAME = '.s.PGSQL.5432';
const SOCKET_PATH_BYTES = 107;
const TEMPORARY_PREFIX = 'auth-gateway-';

/** The folder of the database cluster. */
export function clusterDirOf(dataDir: string): string {
  return join(resolve(dataDir), 'pg');
}

/** An empty folder for a new cluster. Removes those of killed first starts. */
export async function createClusterDir(dataDir: string): Promise<string> {
  const left = (await readdir(dataDir)).filter((name) => name.startsWith('pg.new-'));
  for (const name of left) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
  return mkdtemp(join(dataDir, 'pg.new-'));
}

/**
 * The folder of the socket, which only we and root can enter, because the server requires no password. It is in the data
 * folder, where a CLI in another mount namespace finds it too; or temporary, if that path is too long for a socket or has
 * a character at which the dynamic linker splits its search path.
 * @throws {EmbeddedPostgresError} if other users could replace a temporary folder
 */
export async function createRunDir(dataDir: string): Promise<string> {
  const inside = join(dataDir, 'run');
  const isTooLong = Buffer.byteLength(join(inside, SOCKET_NAME)) > SOCKET_PATH_BYTES;
  if (isTooLong || /[:;$]/.test(inside)) {
    const fault = othersMayReplaceIn(tmpdir(), await stat(tmpdir()));
    if (fault !== undefined) {
      throw new EmbeddedPostgresError(`no place for the socket of PostgreSQL: ${fault.reason}`, fault.remedy);
    }
    return mkdtemp(join(tmpdir(), TEMPORARY_PREFIX));
  }
  await rm(inside, { recursive: true, force: true });
  await mkdir(inside, { mode: 0o700 });
  return inside;
}

/** A URL for `pg` and MikroORM, with the percent-encoded socket folder as host. */
export function socketUrl(socketDir: string, user = 'auth_gateway', database = 'auth_gateway'): string {
  return `postgresql://${user}@${encodeURIComponent(socketDir)}:5432/${database}`;
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, ssl: false });
  client.on('error', () => {}); // the statement fails as well, which is enough
  await client.connect();
  return client;
}

export async function acceptsConnections(url: string): Promise<boolean> {
  return connect(url).then(
    (client) => client.end().then(() => true),
    () => false,
  );
}

/**
 * The URL of the server that another process runs on the data folder, once it accepts connections.
 * @returns undefined if that process ends meanwhile, or after `waitSeconds`
 */
export async function locateRunning(dataDir: string, waitSeconds = 60): Promise<string | undefined> {
  const deadlineMs = performance.now() + waitSeconds * 1000;
  while (performance.now() < deadlineMs) {
    const named = await readPostmasterFile(clusterDirOf(dataDir));
    const url = named && socketUrl(named.socketDir);
    if (url && (await acceptsConnections(url))) return url;
    const holder = readHolder(lockFileOf(dataDir));
    if (!holder || !existsSync(`/proc/${holder.pid}`)) return undefined;
    await sleep(100);
  }
  return undefined;
}

/** Reads postmaster.pid, which may be out of date; undefined if it is missing or half written. */
async function readPostmasterFile(clusterDir: string): Promise<{ pid: number; socketDir: string } | undefined> {
  const path = join(clusterDir, 'postmaster.pid');
  const lines = existsSync(path) ? (await readFile(path, 'utf8')).split('\n') : [];
  const [pid, socketDir] = [Number(lines[0]), lines[4]];
  return pid > 0 && socketDir ? { pid, socketDir } : undefined;
}

/** Whether this process is the server of this cluster, and not a later process with the same id. */
function isServerOf(clusterDir: string, pid: number): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (!words.some((word) => basename(word) === 'postgres')) return false;
    // Both, because the folder may have been moved, and reading cwd of another user's process needs CAP_SYS_PTRACE.
    return [`/proc/${pid}/cwd`, words[words.indexOf('-D') + 1] ?? ''].some((path) => isSameFolder(path, clusterDir));
  } catch {
    return false; // the process has ended
  }
}

function isSameFolder(left: string, right: string): boolean {
  try {
    const [a, b] = [statSync(left), statSync(right)];
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
}

/** Stops a server of this cluster: fast shutdown, then immediate shutdown, then SIGKILL. */
export async function stopServer(clusterDir: string, pid: number): Promise<void> {
  for (const [signal, waitSeconds] of [
    ['SIGINT', 30],
    ['SIGQUIT', 10],
    ['SIGKILL', 5],
  ] as const) {
    const deadlineMs = performance.now() + waitSeconds * 1000;
    if (isServerOf(clusterDir, pid)) process.kill(pid, signal);
    while (performance.now() < deadlineMs) {
      if (!isServerOf(clusterDir, pid)) return;
      await sleep(20);
    }
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not stop.`);
}

/** Stops the server of a killed owner, and removes the files that would prevent the next start. */
export async function clearLeftovers(clusterDir: string, runDir: string): Promise<void> {
  const left = await readPostmasterFile(clusterDir);
  if (left) {
    await stopServer(clusterDir, left.pid);
    const isTemporary = dirname(left.socketDir) === tmpdir() && basename(left.socketDir).startsWith(TEMPORARY_PREFIX);
    if (isTemporary && left.socketDir !== runDir) await rm(left.socketDir, { recursive: true, force: true });
  }
  // PostgreSQL refuses to start if the process id in a lock file exists, although another program may have it by now.
  const lockFiles = [join(clusterDir, 'postmaster.pid'), join(runDir, `${SOCKET_NAME}.lock`)];
  for (const path of lockFiles) await rm(path, { force: true });
}
