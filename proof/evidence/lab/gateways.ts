/** Real instances: processes of the build, on one database, with one keyring and one PUBLIC_URL. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../test/support/programs/redis.js';
import { until } from '../../../test/support/until.js';
import type { Lab } from './lab.js';

const run = promisify(execFile);
const PROGRAM = 'bin/auth-gateway';

export const PASSWORD = 'correct horse battery staple';

export interface Instance {
  url: string;
  process: ChildProcess;
  /** The file with its log and its errors */
  logFile: string;
  /** Starts it again on the same port, after it has ended. */
  start(): Promise<void>;
  /** @returns when it has ended */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** How a process is started, if not directly with its log in a file */
export interface Launch {
  /** A program that runs it in its own process, such as `taskset -c 0` */
  wrapper?: string[];
  /** A descriptor for its log */
  stdout?: number;
}

export interface Gateways {
  /** That all instances share */
  keyringFile: string;
  /** Of every process and command */
  env: Record<string, string>;
  /**
   * Starts one and waits until it is ready.
   * @param env more of its environment
   */
  start(env?: Record<string, string>, how?: Launch): Promise<Instance>;
  /** Runs a command of the gateway's. @returns what it prints with --json */
  cli<T>(...words: string[]): Promise<T>;
  /** The same keyring with another environment, such as another database. */
  with(env: Record<string, string>): Gateways;
}

/** Limits that are no part of an experiment */
const WIDE = { LOGIN_RATE_LIMIT: '1000000', LOGIN_MAX_FAILURES: '1000000', REFRESH_RATE_LIMIT: '1000000' };
/** Environment of a gateway that reads its keyring after 0.1 s instead of 2 s, and sweeps every 3 s instead of every minute */
export const QUICK_TIMERS = {
  NODE_OPTIONS: `--import=${new URL('./quick-timers.js', import.meta.url).href}`,
  QUICK_TIMERS: '20',
};
/** Issuer of tokens, and its host is the `@authority` of signatures: whichever instance is asked */
export const PUBLIC_URL = 'http://localhost:3000';

/**
 * Makes the keyring that all share.
 * @param env of all instances; limits are wide unless it says otherwise
 * @param program that of another commit, in its clone
 */
export async function prepareGateways(
  lab: Lab,
  databaseUrl: string,
  env: Record<string, string> = {},
  program = PROGRAM,
): Promise<Gateways> {
  const keyringFile = join(lab.folder, 'keyring.json');
  const PATH = process.env['PATH'] ?? '';
  await run(program, ['keyring', 'create', '--out', keyringFile], { env: { PATH } });
  return gatewaysOf(lab, program, keyringFile, { PATH, DATABASE_URL: databaseUrl, PUBLIC_URL, ...WIDE, ...env });
}

function gatewaysOf(lab: Lab, program: string, keyringFile: string, env: Record<string, string>): Gateways {
  const shared = { ...env, KEYRING_FILE: keyringFile };
  return {
    keyringFile,
    env: shared,
    with: (more) => gatewaysOf(lab, program, keyringFile, { ...env, ...more }),
    start: (more = {}, how = {}) => startInstance(lab, program, { ...shared, ...more }, how),
    cli: async <T>(...words: string[]) => {
      const running = run(program, [...words, '--json'], { env: shared });
      running.child.stdin?.end(PASSWORD);
      return JSON.parse((await running).stdout) as T;
    },
  };
}

async function startInstance(
  lab: Lab,
  gateway: string,
  shared: Record<string, string>,
  how: Launch,
): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(lab.folder, `gateway-${port}.log`);
  const env = { ...shared, PORT: String(port) };
  const log = openSync(logFile, 'a');
  const [program = '', ...words] = [...(how.wrapper ?? []), gateway, 'start'];
  const launch = (): ChildProcess => {
    const launched = spawn(program, words, { env, stdio: ['ignore', how.stdout ?? log, log] });
    lab.defer(() => launched.kill('SIGKILL')); // at once if the experiment was interrupted meanwhile
    return launched;
  };
  const instance: Instance = {
    url,
    process: launch(),
    logFile,
    start: async () => {
      instance.process = launch();
      await ready(instance);
    },
    kill: async (signal = 'SIGKILL') => {
      if (hasEnded(instance.process)) return;
      const ended = once(instance.process, 'exit');
      instance.process.kill(signal);
      await ended;
    },
  };
  lab.defer(async () => {
    await instance.kill();
    closeSync(log);
  });
  await ready(instance);
  return instance;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Waits until it is. @throws if it has ended */
export async function ready(instance: Instance): Promise<void> {
  await until(`${instance.url} is ready`, async () => {
    if (hasEnded(instance.process)) throw new Error(`the gateway has ended: ${lastLineOf(instance.logFile)}`);
    return fetch(`${instance.url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
}

/** The folder is removed at the end, so the reason is reported at once. */
function lastLineOf(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.findLast((line) => !line.startsWith(' ')) ?? ''; // a stack is indented
}
