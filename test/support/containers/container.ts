/** Containers without a daemon: `test/deploy/container.sh` in namespaces of the kernel. Needs root and `ip` (REQUIRE_PROGRAMS=1). */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../until.js';

const SCRIPT = resolve('test/deploy/container.sh');
const UNSHARE = ['unshare', '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child'];

export const hasContainers =
  spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'ip', 'link']).status === 0 ||
  process.env['REQUIRE_PROGRAMS'] === '1';

export interface Contained {
  /** Its file system, but for /usr */
  root: string;
  /** UID:GID */
  user: string;
  workdir: string;
  env: Record<string, string>;
  command: string[];
  /** As `container.sh` takes them */
  mounts: string[];
  isWritable?: boolean;
  /** Words before it, such as those that enter a network */
  within?: string[];
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Container extends AsyncDisposable {
  said(): string;
  /** Sends SIGTERM to its process 1 if it runs, and waits. @returns its exit code */
  stop(): Promise<number | null>;
  ended: Promise<Ended>;
  /** Runs a command in it, as the same user. */
  exec(...command: string[]): Promise<Ended>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The file system of an image that has nothing but the machine's own /usr. */
export function emptyRoot(folder: string): string {
  const root = mkdtempSync(join(folder, 'root-'));
  for (const name of ['dev', 'etc', 'local/bin', 'opt', 'proc', 'root', 'run', 'tmp', 'usr', 'var/lib']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name));
  spawnSync('chmod', ['755', root]);
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/root:/bin/sh\nstore:x:999:999::/:/bin/sh\nnginx:x:101:101::/:/bin/sh\n',
  );
  return root;
}

export function startContainer(contained: Contained): Container {
  const { root, user, workdir, env, command, mounts, isWritable, within = [] } = contained;
  const given = Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`);
  const words = [...within, ...UNSHARE, 'sh', SCRIPT, root, user, workdir, ...mounts, '--', ...given, ...command];
  const child = run(words, isWritable ? { WRITABLE: '1' } : {});
  const ended = endOf(child);
  const output = { said: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output.said += chunk.toString('utf8');
    });
  }
  /** Process 1 of the container, as it is called out here. */
  const first = (): string => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  /** Resolves when it has its own file system. @throws if it has ended before */
  const inside = async (): Promise<string> => {
    const isIn = (pid: string): boolean => pid !== '' && readlinkSync(`/proc/${pid}/root`) !== '/';
    await until('the container runs', () => {
      if (child.exitCode !== null) throw new Error(`it has ended: ${output.said}`);
      return isIn(first());
    });
    return first();
  };
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null) process.kill(Number(await inside()), 'SIGTERM');
    return (await ended).code;
  };
  return {
    said: () => output.said,
    stop,
    ended,
    exec: async (...others) => {
      const [uid, gid] = user.split(':');
      const entered = [
        'nsenter',
        '--target',
        await inside(),
        '--mount',
        '--pid',
        '--net',
        '--root',
        '--',
        '/usr/bin/setpriv',
      ];
      const drop = [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        '--no-new-privs',
        '/usr/bin/env',
        '-i',
        `--chdir=${workdir}`,
      ];
      return endOf(run([...entered, ...drop, ...given, ...others]));
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) process.kill(Number(await inside()), 'SIGKILL'); // all of its processes end with it
      await ended;
    },
  };
}

export async function runContainer(contained: Contained): Promise<Ended> {
  return startContainer(contained).ended;
}

export function run([program = '', ...words]: string[], env: Record<string, string> = {}): ChildProcess {
  const { PATH: path = PATH } = process.env;
  return spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: path, ...env } });
}

export async function endOf(child: ChildProcess): Promise<Ended> {
  if (child.stdout === null || child.stderr === null) throw new Error('it has no output');
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, stdout, stderr };
}
