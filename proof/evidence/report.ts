/** The report: a table for the reader, and the same as JSON with the machine, the commit and the date. */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { Row, Size } from './experiment.js';

export interface Result {
  experiment: string;
  /** When it began */
  date: string;
  seconds: number;
  rows: Row[];
  /** What it needs and did not find, which is red */
  leftOut?: string;
  /** The error that ended it early, which is red */
  failed?: string;
  /** `--without` names it */
  withoutIt?: true;
}

export interface Report {
  date: string;
  commit: string;
  size: Size;
  machine: { cpu: string; cores: number; memory_gib: number; node: string };
  results: Result[];
}

export function startReport(size: Size): Report {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString(),
    commit: commit(),
    size,
    machine: {
      cpu: cpu?.model ?? 'unknown',
      cores: cpus().length,
      memory_gib: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    },
    results: [],
  };
}

/** Of the sources that this was compiled from; never the name of a tag. */
function commit(): string {
  const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  return execFileSync('git', words, { encoding: 'utf8', cwd: import.meta.dirname }).trim();
}

/** In Markdown. */
export function tableOf({ results }: Report): string {
  const lines = results.flatMap(({ experiment, rows, leftOut, failed, withoutIt }) => {
    if (withoutIt) return [`| ${experiment} | left out by --without | | |`];
    if (leftOut !== undefined) return [`| ${experiment} | left out: ${leftOut} | RED | |`];
    if (failed !== undefined) return [`| ${experiment} | failed: ${failed} | RED | |`];
    if (rows.length === 0) return [`| ${experiment} | tried nothing | RED | |`];
    return rows.map((row) => {
      const { what, trials, least, violations, figures = {} } = row;
      const tried = trials < least ? `${shown(trials)}, less than ${shown(least)}` : shown(trials);
      const measured = Object.entries(figures).map(([name, figure]) => `${name} ${shown(figure)}`);
      return `| ${what} | ${tried} | ${isRed(row) ? 'RED ' : ''}${violations} | ${measured.join(', ')} |`;
    });
  });
  return ['| what must not happen | trials | violations | measured |', '|---|---|---|---|', ...lines].join('\n');
}

/** What was seen of each violation, five at most, for a reader who has the end of a log alone. */
export function examplesOf({ results }: Report): string {
  const rows = results.flatMap(({ rows }) => rows).filter(({ violations }) => violations > 0);
  return rows
    .flatMap(({ what, examples = [] }) => [`${what}:`, ...examples.slice(0, 5).map((example) => `  ${example}`)])
    .join('\n');
}

/** Rows that are red, with one for each experiment that was left out, failed, had no row, or did not begin. */
export function redOf({ results }: Report, chosen: ReadonlyArray<{ name: string }>): number {
  const notBegun = chosen.filter(({ name }) => !results.some(({ experiment }) => experiment === name)).length;
  return results.reduce((sum, result) => {
    if (result.withoutIt) return sum;
    return sum + (isWhole(result) ? result.rows.filter(isRed).length : 1);
  }, notBegun);
}

function isRed({ trials, least, violations }: Row): boolean {
  return violations > 0 || trials < least;
}

/** Whether the experiment came to its end. */
export function isWhole({ rows, leftOut, failed }: Result): boolean {
  return leftOut === undefined && failed === undefined && rows.length > 0;
}

/** A count as it is, and what was measured in three digits. */
function shown(figure: number): string {
  return Number.isInteger(figure) ? figure.toLocaleString('en') : String(Number(figure.toPrecision(3)));
}
