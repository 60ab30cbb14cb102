/** The report: a table for the reader, and the same as JSON with the machine, the commit and the date. */
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import type { Row, Size } from './experiment.js';

export interface Result {
  experiment: string;
  seconds: number;
  rows: Row[];
  /** Programs that are not installed */
  leftOut?: string;
  /** The error that ended it early, which counts as a violation */
  failed?: string;
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
    commit: execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], { encoding: 'utf8' }).trim(),
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

/** In Markdown, as the documents quote it. */
export function tableOf({ results }: Report): string {
  const lines = results.flatMap(({ experiment, rows, leftOut, failed }) => {
    if (leftOut !== undefined) return [`| ${experiment} | left out: ${leftOut} | | |`];
    if (failed !== undefined) return [`| ${experiment} | failed: ${failed} | 1 | |`];
    return rows.map(({ what, trials, violations, figures = {} }) => {
      const measured = Object.entries(figures).map(([name, figure]) => `${name} ${shown(figure)}`);
      return `| ${what} | ${trials.toLocaleString('en')} | ${violations} | ${measured.join(', ')} |`;
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

export function violationsOf({ results }: Report): number {
  const failures = results.filter(({ failed }) => failed !== undefined).length;
  return results.flatMap(({ rows }) => rows).reduce((sum, { violations }) => sum + violations, failures);
}

/** A count as it is, and what was measured in three digits. */
function shown(figure: number): string {
  return Number.isInteger(figure) ? figure.toLocaleString('en') : String(Number(figure.toPrecision(3)));
}
