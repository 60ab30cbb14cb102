/** How long a start takes until it is ready, on a migrated database, and a command until it has ended. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../test/support/programs/redis.js';
import { ON_THE_GATEWAYS_CORE } from '../cores.js';
import { cpuMicros } from '../cpu.js';
import type { Stage } from '../stage.js';
import type { Row, Work } from '../work.js';

const PROGRAM = 'bin/auth-gateway';
const LOOK_MS = 5;
const GIVE_UP_MS = 60_000;

export function startWork({ environment }: Stage): Work {
  const launch = (words: string[], env: Record<string, string>) => {
    const [program = '', ...rest] = [...ON_THE_GATEWAYS_CORE, PROGRAM, ...words];
    return spawn(program, rest, { env: { ...environment, ...env }, stdio: 'ignore' });
  };

  const start = async (): Promise<Row[]> => {
    const port = await freePort();
    const startedMs = performance.now();
    const child = launch(['start'], { PORT: String(port) });
    const ended = once(child, 'exit');
    try {
      while (!(await isReady(port))) {
        if (child.exitCode !== null || performance.now() - startedMs > GIVE_UP_MS) throw new Error('it did not start');
        await sleep(LOOK_MS);
      }
      const medianMs = performance.now() - startedMs;
      return [{ what: 'start until ready', medianMs, serverUs: cpuMicros([child.pid ?? 0]) }];
    } finally {
      child.kill();
      await ended;
    }
  };

  const command = async (): Promise<Row[]> => {
    const startedMs = performance.now();
    const [code] = await once(launch(['user', 'list'], {}), 'exit');
    if (code !== 0) throw new Error(`the command ended with ${code}`);
    return [{ what: 'command `user list`', medianMs: performance.now() - startedMs }];
  };
  return { name: 'start', parts: [start, command].map((run) => ({ prepare: async () => run })) };
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
