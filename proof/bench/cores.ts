/** Which core runs what: the gateway, or what it is compared with, on the first core; PostgreSQL and the load on the others. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { withDescendants } from '../evidence/lab/program.js';
import { findProgram } from '../evidence/lab/programs.js';

const [first = 0, ...others] = allowedCores();
export const IS_PINNED = others.length > 0 && findProgram('taskset') !== undefined;

/** As tables and the head of a run name them */
export const CORES = IS_PINNED ? { gateway: `core ${first}`, others: namesOf(others) } : undefined;

/** How many the gateway has, and so how many passwords it hashes at once */
export const GATEWAYS_CORES = IS_PINNED ? 1 : others.length + 1;

/** What a program is started with, to run on the core of the gateway. */
export const ON_THE_GATEWAYS_CORE = IS_PINNED ? ['taskset', '-c', String(first)] : [];

/** Moves a process and all that it has started, threads included, to the cores that are not the gateway's. */
export function moveBeside(pid: number): void {
  if (!IS_PINNED) return;
  for (const each of withDescendants(pid)) execFileSync('taskset', ['-a', '-c', '-p', others.join(), String(each)]);
}

function namesOf(cores: readonly number[]): string {
  return `core${cores.length === 1 ? '' : 's'} ${cores.join(', ')}`;
}

/** Such as `0-1,4` of proc(5) */
function allowedCores(): number[] {
  const [, list = '0'] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
