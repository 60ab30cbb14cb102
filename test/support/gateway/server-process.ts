/** The gateway as a process of its own, from the build, on the database of a gateway under test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { KEYRING_FILE, required } from '../postgres/postgres.js';
import { freePort } from '../programs/redis.js';
import type { TestGateway } from './gateway.js';

export interface ServerProcess extends AsyncDisposable {
  process: ChildProcess;
  url: string;
  /** Resolves to the exit code and the signal, once all of its errors have been read */
  exited: Promise<unknown[]>;
  /** What it has said on standard error so far */
  errors(): string;
}

/**
 * Starts it; it need not be ready yet, nor ever be.
 * @param env more variables; without a PORT it gets one that is free
 * @param stdout where its log goes: a pipe, or an open file
 * @param wrapper runs bin/auth-gateway, which follows it
 * @param detached without the terminal that the tests may have
 */
export async function startProcess(
  { config, database }: TestGateway,
  env: Record<string, string> = {},
  stdout: 'pipe' | number = 'pipe',
  wrapper: string[] = [],
  detached = false,
): Promise<ServerProcess> {
  const port = env['PORT'] ?? (await freePort());
  const [program = '', ...args] = [...wrapper, 'bin/auth-gateway', 'start'];
  const server = spawn(program, args, {
    detached,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      KEYRING_FILE: required(KEYRING_FILE),
      PORT: String(port),
      PUBLIC_URL: config.publicUrl,
      ...env,
    },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const { stderr } = server;
  if (stderr === null) throw new Error('its errors are not read');
  let errors = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const exited = Promise.all([once(server, 'exit'), once(stderr, 'close')]).then(([ended]) => ended);
  return {
    process: server,
    url: `http://127.0.0.1:${port}`,
    exited,
    errors: () => errors,
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGKILL');
      await exited;
    },
  };
}
