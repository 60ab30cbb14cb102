/** The published run of `npm run evidence -- --full`, as docs/evidence.md and the README print it. */
import { readFileSync } from 'node:fs';
import type { Report, Result } from '../../../proof/evidence/report.js';
import { type ExperimentName, TITLES } from '../../../proof/evidence/titles.js';
import { table } from './table.js';

const FILE = 'proof/evidence/published.json';

interface PublishedRun extends Report {
  /** `commit` and `cpu`: of an experiment that was run at another commit or on another machine, such as again after a fix */
  results: Array<Result & { commit?: string; cpu?: string }>;
}

export function readPublishedRun(): PublishedRun {
  return JSON.parse(readFileSync(FILE, 'utf8')) as PublishedRun;
}

/** The run in a sentence, and a row for each experiment. */
export function publishedRun(): string {
  const run = readPublishedRun();
  const rows = run.results.map(({ experiment, commit = run.commit, date, rows: counted }) => [
    `\`${experiment}\``,
    TITLES[experiment as ExperimentName],
    shown(sumOf(counted.map(({ trials }) => trials))),
    sumOf(counted.map(({ violations }) => violations)),
    `\`${commit}\`, ${date.slice(0, 10)}`,
  ]);
  const head = ['experiment', 'what is done, and what holds afterwards', 'checks', 'violations', 'commit, begun'];
  return `${sentenceOf(run)}\n\n${table(head, rows)}`;
}

/** The run in one line. */
export function publishedLine(): string {
  const { commit, results } = readPublishedRun();
  const rows = results.flatMap((result) => result.rows);
  const later = new Set(results.flatMap((result) => result.commit ?? []));
  const commits = `commit \`${commit}\`${later.size === 0 ? '' : `, in part ${later.size} later ones`}`;
  const [checks, violations] = [sumOf(rows.map(({ trials }) => trials)), sumOf(rows.map((row) => row.violations))];
  return `The last full run (${commits}): ${shown(checks)} checks, ${shown(violations)} violations.`;
}

function sumOf(figures: number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0);
}

function sentenceOf({ size, machine, results }: PublishedRun): string {
  const { cores, memory_gib, node } = machine;
  const cpus = [machine.cpu, ...new Set(results.flatMap(({ cpu }) => cpu ?? []))].join(', in part ');
  return `The last run with \`--${size}\`, on ${cores} cores (${cpus}) with ${memory_gib} GiB, Node ${node}.`;
}

const shown = (count: number): string => count.toLocaleString('en');
