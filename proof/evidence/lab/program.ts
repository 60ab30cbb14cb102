/** A program next to the gateways: nginx, HAProxy, etcd and the like, in the foreground, until the lab ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../test/support/until.js';
import type { Lab } from './lab.js';

export interface Program {
  start(): void;
  /** @returns when it has ended. What does not end within ten seconds is killed. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it and all that it has started. */
  kill(): Promise<void>;
  /** Stops it and all that it has started, as a machine that hangs. */
  freeze(): void;
  thaw(): void;
  isRunning(): boolean;
  /** The end of its log, as one line */
  lastLines(): string;
}

const STOP_MS = 10_000;

/** @param name of its log file @param env its whole environment, except for PATH */
export function startProgram(lab: Lab, name: string, words: string[], env: Record<string, string> = {}): Program {
  const [command = '', ...args] = words;
  const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const logFile = join(lab.folder, `${name}.log`);
  let child: ChildProcess | undefined;
  const isRunning = (): boolean => child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const everyPid = (): number[] => (isRunning() && child?.pid ? withDescendants(child.pid) : []);
  const ended = async (): Promise<void> => {
    if (child !== undefined && isRunning()) await once(child, 'exit');
  };
  const program: Program = {
    isRunning,
    lastLines: () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-5).join('; '),
    start: () => {
      const log = openSync(logFile, 'a', 0o600);
      // In a process group of its own: Ctrl-C reaches the lab alone, which ends everything in its order.
      child = spawn(command, args, {
        env: { PATH, LANG: 'C', ...env },
        cwd: '/',
        detached: true,
        stdio: ['ignore', log, log],
      });
      child.on('error', () => undefined); // it has no pid then
      closeSync(log);
    },
    stop: async (how = 'SIGTERM') => {
      if (!isRunning()) return;
      const late = setTimeout(() => signal(everyPid(), 'SIGKILL'), STOP_MS);
      signal([child?.pid ?? 0], how);
      await ended();
      clearTimeout(late);
    },
    kill: async () => {
      if (isRunning() && child?.pid) await killAll(child.pid);
      await ended();
    },
    freeze: () => signal(everyPid(), 'SIGSTOP'),
    thaw: () => signal(everyPid(), 'SIGCONT'),
  };
  lab.defer(async () => {
    program.thaw();
    await program.stop();
  });
  program.start();
  return program;
}

/** @returns when the process and all that it has started are gone */
export async function killAll(pid: number): Promise<void> {
  const pids = withDescendants(pid);
  signal(pids, 'SIGKILL');
  await until('killed processes are gone', () => pids.every((each) => parentOf(String(each)) === undefined));
}

export function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has just ended
    }
  }
}

/** Itself, its children, their children, and so on */
export function withDescendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(name);
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

/** Undefined for a process that has ended, even if nobody has waited for it */
function parentOf(pid: string): number | undefined {
  try {
    // The name, in brackets, may hold anything.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
