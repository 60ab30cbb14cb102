/** Faults of the destination of the log: everything is answered as before, and SIGTERM ends the process. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateways } from '../../lab/gateways.js';
import { ALL_RIGHT, type Fault, type Stand } from './fault.js';

export interface LogStand extends Stand {
  gateways: Gateways;
  folder: string;
}

const END_MS = 20_000;
const DID_NOT_END = `SIGTERM does not end it within ${END_MS / 1000} s`;

export const LOG_FAULTS: readonly Fault<LogStand>[] = [
  loggingTo('the disk of the log is full', () => openSync('/dev/full', 'w'), true),
  loggingTo('nobody is there who reads the log', (folder) => {
    const { reader, writer } = openPipe(folder);
    closeSync(reader);
    return writer;
  }),
  loggingTo('the reader of the log reads nothing', (folder) => {
    const { path, writer } = openPipe(folder);
    fill(path);
    return writer;
  }),
];

/** Another instance takes the place of the one that is asked, and logs there from its start. */
function loggingTo(name: string, open: (folder: string) => number, small?: true): Fault<LogStand> {
  const begin: Fault<LogStand>['begin'] = async (stand) => {
    const well = stand.instance;
    const stdout = open(stand.folder);
    const instance = await stand.gateways.start({}, { stdout });
    stand.instance = instance;
    return async () => {
      stand.instance = well;
      const ended = instance.kill('SIGTERM').then(() => undefined);
      const complaint = await Promise.race([ended, sleep(END_MS, DID_NOT_END, { ref: false })]);
      await instance.kill();
      closeSync(stdout);
      return complaint;
    };
  };
  return { name, ...(small && { small }), begin, expected: { ...ALL_RIGHT, login: 'busy' } };
}

let pipes = 0;

function openPipe(folder: string) {
  pipes += 1;
  const path = join(folder, `pipe-${pipes}`);
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { path, reader, writer: openSync(path, 'w') };
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    while (true) writeSync(writer, '\n'.repeat(4096));
  } catch {
    closeSync(writer);
  }
}
