/** Starts the programs of `programs/`, and gives them their tasks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Lab } from '../evidence/lab/lab.js';
import type { Counted, Edge } from './closed-loop.js';
import type { Message } from './programs/task.js';

export interface Runner<Task, Result = Counted> {
  pid: number;
  /** Of a program that listens */
  url: string;
  /** @param onEdge called when what is counted begins and ends. @throws the error of the program */
  run(task: Task, onEdge?: (edge: Edge) => void): Promise<Result>;
}

export interface Start {
  /** Such as `taskset -c 0` */
  wrapper?: string[];
  env?: Record<string, string>;
}

/** @param name of a file in `programs/` */
export async function startRunner<Task, Result = Counted>(
  lab: Lab,
  name: string,
  { wrapper = [], env = {} }: Start = {},
): Promise<Runner<Task, Result>> {
  const file = fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url));
  const [program = '', ...words] = [...wrapper, process.execPath, file];
  const PATH = process.env['PATH'] ?? '';
  const child = spawn(program, words, {
    env: { PATH, ...env },
    detached: true, // Ctrl-C reaches the bench alone, which ends everything in its order
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  lab.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let onMessage: (message: Message<Result>) => void = () => undefined;
  child.on('message', (message: Message<Result>) => onMessage(message));
  const hasEnded = { kind: 'failed', why: `${name} has ended` } as const;
  child.on('exit', () => onMessage(hasEnded));
  const messageThat = <T>(listen: (message: Message<Result>, resolve: (value: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => {
      onMessage = (message) => (message.kind === 'failed' ? reject(new Error(message.why)) : listen(message, resolve));
    });

  const port = await messageThat<number>((message, resolve) => message.kind === 'ready' && resolve(message.port ?? 0));
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    run: (task, onEdge) => {
      const done = messageThat<Result>((message, resolve) => {
        if (message.kind === 'done') resolve(message.result);
        else if (message.kind === 'began' || message.kind === 'ended') onEdge?.(message.kind);
      });
      child.send(task as object, (error) => error && onMessage(hasEnded));
      return done;
    },
  };
}

/** The environment in which a running gateway has set up its own Node, so that what it is compared with runs in the same way. */
export function setUpAs(pid: number): Record<string, string> {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const settings = environment.filter((word) => /^(UV_|MALLOC_|NODE_ENV=)/.test(word));
  const options = environment.find((word) => word.startsWith('NODE_OPTIONS='))?.match(/--max-\S+/g) ?? []; // no --inspect
  return {
    ...Object.fromEntries(settings.map((word) => word.split('=', 2))),
    NODE_OPTIONS: options.join(' '),
  };
}
