/** Real instances: processes of the build, on one database, with one keyring and one PUBLIC_URL. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/redis.js';
import { until } from '../../support/until.js';
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

export interface Gateways {
  /** Starts one and waits until it is ready. @param env more of its environment */
  start(env?: Record<string, string>): Promise<Instance>;
  /** Runs a command of the gateway's. @returns what it prints with --json */
  cli<T>(...words: string[]): Promise<T>;
}

/** Limits that are no part of an experiment */
const WIDE = { LOGIN_RATE_LIMIT: '1000000', LOGIN_MAX_FAILURES: '1000000' };
const PUBLIC_URL = 'http://localhost:3000';

/** Makes the keyring that all share. @param env of all instances; limits are wide unless it says otherwise */
export async function prepareGateways(
  lab: Lab,
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<Gateways> {
  const KEYRING_FILE = join(lab.folder, 'keyring.json');
  const PATH = process.env['PATH'] ?? '';
  await run(PROGRAM, ['keyring', 'create', '--out', KEYRING_FILE], { env: { PATH } });
  const shared = { PATH, DATABASE_URL: databaseUrl, KEYRING_FILE, PUBLIC_URL, ...WIDE, ...env };
  return {
    start: (more = {}) => startInstance(lab, { ...shared, ...more }),
    cli: async <T>(...words: string[]) => {
      const running = run(PROGRAM, [...words, '--json'], { env: shared });
      running.child.stdin?.end(PASSWORD);
      return JSON.parse((await running).stdout) as T;
    },
  };
}

async function startInstance(lab: Lab, shared: Record<string, string>): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(lab.folder, `gateway-${port}.log`);
  const env = { ...shared, PORT: String(port) };
  const log = openSync(logFile, 'a');
  const launch = (): ChildProcess => spawn(PROGRAM, ['start'], { env, stdio: ['ignore', log, log] });
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
  lab.defer(() => instance.kill());
  await ready(instance);
  return instance;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function ready(instance: Instance): Promise<void> {
  await until(`${instance.url} is ready`, async () => {
    if (hasEnded(instance.process)) throw new Error(`the gateway has ended: see ${instance.logFile}`);
    return fetch(`${instance.url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
}
