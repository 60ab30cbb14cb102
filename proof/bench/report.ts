/** What a run says at its beginning and at its end, also if it was interrupted. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { startReport } from '../evidence/report.js';
import { CORES } from './cores.js';
import { GOALS } from './goals.js';
import type { Measured } from './rounds.js';
import { type Judged, judge, judgeMemory, type Line, medians } from './summary.js';
import { judgedTable, linesTable } from './tables.js';

/** Of the gateway, when it was ready, before the first round, and after each: MB */
export interface Memory {
  resident: number[];
  /** Without pages of files, which the kernel takes back whenever it likes */
  anonymous: number[];
}

export type Start = Pick<ReturnType<typeof startReport>, 'date' | 'commit' | 'machine'>;

/** @param isRemote whether PostgreSQL is on another machine */
export function headOf({ date, commit, machine }: Start, postgresVersion: string, isRemote: boolean): string {
  const { cores, cpu, memory_gib: gib, node } = machine;
  const place =
    CORES === undefined
      ? 'Nothing has a core of its own, because there is one core, or no taskset.'
      : `The gateway, or what it is compared with, runs alone on ${CORES.gateway}; ${isRemote ? 'the load' : 'PostgreSQL and the load'} on ${CORES.others}.`;
  const where = `${cores} cores (${cpu}) with ${gib} GiB, Node ${node}, PostgreSQL ${postgresVersion}`;
  return `Commit \`${commit}\`, ${date.slice(0, 10)}, on ${where}. ${place}\n`;
}

export interface Finished {
  /** Both tables, or a sentence if nothing was measured */
  text: string;
  /** For a file */
  json: { lines: Line[]; goals: Judged[] };
}

export function finish({ slices, failed }: Measured, { resident, anonymous }: Memory): Finished {
  const lines = medians(slices);
  const goals = [...judge(GOALS, slices), ...judgeMemory(anonymous)];
  const json = { memory_mb: resident, anonymous_mb: anonymous, lines, goals, failed, measured: slices };
  if (slices.length === 0) return { text: 'Nothing was measured.', json };
  const all = (samples: number[]): string => samples.map(Math.round).join(', ');
  const memory = `Memory of the gateway at rest, before the first round, and after each: ${all(resident)} MB, of which anonymous ${all(anonymous)} MB.`;
  const parts = [linesTable(lines), judgedTable(goals), ...(resident.length > 0 ? [memory] : [])];
  return { text: parts.join('\n\n'), json };
}

export function writeJson(file: string, json: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(json, null, 2)}\n`);
}
