/** The runs of the model of rotation, and the faults planted in it, as docs/protocol.md prints them. */
import { readFileSync } from 'node:fs';
import { INVARIANTS, MUTANTS } from '../../../proof/protocol/runs.js';
import { table } from './table.js';

interface Published {
  name: string;
  defines: string[];
  states: number;
  depth: number;
  memoryMb: number;
  seconds: number;
}

export function protocolInvariants(): string {
  return Object.entries(INVARIANTS)
    .map(([number, says]) => `${number}. ${says}`)
    .join('\n');
}

/** Of the last run with `PROTOCOL_OUT` */
export function protocolRuns(): string {
  const runs = JSON.parse(readFileSync('proof/protocol/published.json', 'utf8')) as Published[];
  const bound = ({ defines }: Published, name: string): string =>
    defines.find((define) => define.startsWith(`${name}=`))?.split('=')[1] ?? '';
  const rows = runs.map((run) => [
    run.name,
    ...['SLOTS', 'REFRESHES', 'COPIES', 'USES', 'LOGOUTS', 'PROOFS'].map((name) => bound(run, name)),
    run.states.toLocaleString('en'),
    run.depth,
    `${run.memoryMb} MB`,
    `${Math.round(run.seconds)} s`,
  ]);
  const bounds = ['at once', 'refreshes', 'copies', 'uses', 'logouts', 'proofs'];
  return table(['run', ...bounds, 'states', 'depth', 'memory', 'time'], rows);
}

export function protocolFaults(): string {
  return table(
    ['fault', 'stands for', 'breaks'],
    MUTANTS.map(({ name, after, breaks }) => [name, after, breaks]),
  );
}
