/** Runs the load generator on a core of its own, where there is more than one. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Lab } from './lab.js';
import type { Answers, Load } from './load-generator.js';
import { findProgram } from './programs.js';

const PROGRAM = fileURLToPath(new URL('./load-generator.js', import.meta.url));
const CORES = availableParallelism();
const CAN_CHOOSE = CORES > 1 && findProgram('taskset') !== undefined;

/** What a gateway is started with, to leave the last core to the generator. */
export const BESIDE_THE_LOAD = CAN_CHOOSE ? ['taskset', '-c', `0-${CORES - 2}`] : [];

/** @throws if the generator fails */
export async function generateLoad(lab: Lab, load: Load): Promise<Answers> {
  const [program = '', ...words] = [
    ...(CAN_CHOOSE ? ['taskset', '-c', String(CORES - 1)] : []),
    ...[process.execPath, PROGRAM],
  ];
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  lab.defer(() => child.kill('SIGKILL'));
  child.stdin.end(JSON.stringify(load));
  return JSON.parse(await text(child.stdout)) as Answers;
}
