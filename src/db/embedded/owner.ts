/** Which process owns the data folder: a lock that the kernel releases however that process ends. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { othersMayWrite, quoted } from '../../platform/permissions.js';
import { EmbeddedPostgresError, SYSTEM_PATH } from './programs.js';

export type OwnerRole = 'gateway' | 'cli';

/** Proof that this process owns `dataDir`, until `release()` or the end of the process. */
export interface DataDirOwnership {
  /** Absolute path; the folder exists. */
  dataDir: string;
  release(): void;
}

export interface DataDirHeld {
  heldBy: { role: OwnerRole; pid: number };
}

/**
 * Takes the data folder for this process, and creates it (mode 0700) if it is missing.
 * @param waitSeconds how long to wait for a CLI command that holds it; a gateway that holds it is returned at once
 * @throws if the folder cannot be written or locked, or other users may write it; nothing is created in it then
 */
export async function ownDataDir(
  dataDir: string,
  role: OwnerRole,
  waitSeconds = 30,
): Promise<DataDirOwnership | DataDirHeld> {
  const absoluteDir = resolve(dataDir);
  await makeFolder(absoluteDir).catch((error: unknown) => {
    throw unusable(absoluteDir, error, { EACCES: 'make it as root and give it to the user that this runs as, or' });
  });
  // Even with the sticky bit, other users could create our files first.
  const fault = othersMayWrite(absoluteDir, await stat(absoluteDir));
  if (fault !== undefined) {
    throw new EmbeddedPostgresError(`the data folder is refused: ${fault.reason}`, fault.remedy);
  }
  const lockFile = lockFileOf(absoluteDir);
  // A bare descriptor: the garbage collector would close a FileHandle and lose the lock.
  const fd = openLock(absoluteDir, lockFile);
  let isOpen = true;
  const release = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  try {
    const heldBy = await lockOrHolder(fd, lockFile, waitSeconds * 1000);
    if (heldBy) {
      release();
      return { heldBy };
    }
    ftruncateSync(fd);
    writeSync(fd, `${role} ${process.pid}\n`);
    return { dataDir: absoluteDir, release };
  } catch (error) {
    release();
    throw error;
  }
}

function openLock(folder: string, lockFile: string): number {
  try {
    return openSync(lockFile, 'a+', 0o600);
  } catch (error) {
    const give = `give it to the user that this runs as: chown -R USER ${quoted(folder)}; or`;
    throw unusable(folder, error, { EACCES: give, EPERM: give });
  }
}

/** @param advice by the code of the error, if more can be done than to use another folder */
function unusable(folder: string, error: unknown, advice: Record<string, string>): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === '') return error;
  const reason =
    code === 'EROFS'
      ? `${folder} is on a read-only disk (EROFS)`
      : `the data folder ${folder} cannot be used (${code})`;
  const remedy = [advice[code], 'set DATA_DIR to a folder that can be written'].filter(Boolean).join(' ');
  return new EmbeddedPostgresError(reason, remedy, { cause: error });
}

/** With its parents. Node's own `recursive` loops for ever in a folder that accepts no others, such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (error.code !== 'ENOENT' || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await makeFolder(folder);
  });
}

async function lockOrHolder(fd: number, lockFile: string, waitMs: number): Promise<DataDirHeld['heldBy'] | undefined> {
  const startedMs = performance.now();
  while (!(await tryLock(fd))) {
    const waitedMs = performance.now() - startedMs;
    const holder = readHolder(lockFile);
    // If the named process is dead, its successor is about to write its own name, unless the owner is in another
    // container, whose process ids mean nothing here.
    if (holder?.role === 'gateway' && (existsSync(`/proc/${holder.pid}`) || waitedMs > 2000)) return holder;
    if (waitedMs > waitMs) {
      if (holder) return holder;
      throw new EmbeddedPostgresError(`${lockFile} is locked by an unknown process`);
    }
    await sleep(50);
  }
  return undefined;
}

/**
 * flock(2), which Node does not offer. The lock belongs to the open file, which the `flock` program shares with us. The
 * kernel releases it when we end, so no lock is ever stale, and other containers see it too.
 */
function tryLock(fd: number): Promise<boolean> {
  return new Promise((resolvePromise, reject) => {
    const child = spawn('flock', ['-n', '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      env: { PATH: SYSTEM_PATH },
    });
    child.once('error', (cause) =>
      reject(new EmbeddedPostgresError('the program flock is missing', 'install the package util-linux', { cause })),
    );
    child.once('exit', (code) => {
      if (code === 0 || code === 1) resolvePromise(code === 0);
      else reject(new EmbeddedPostgresError(`the data folder cannot be locked: flock ended with code ${code}`));
    });
  });
}

export function lockFileOf(dataDir: string): string {
  return join(resolve(dataDir), 'owner.lock');
}

/** The holder that the lock file names, which may be out of date. */
export function readHolder(lockFile: string): DataDirHeld['heldBy'] | undefined {
  const match = existsSync(lockFile) ? /^(gateway|cli) (\d+)\n$/.exec(readFileSync(lockFile, 'utf8')) : null;
  return match ? { role: match[1] === 'gateway' ? 'gateway' : 'cli', pid: Number(match[2]) } : undefined;
}
