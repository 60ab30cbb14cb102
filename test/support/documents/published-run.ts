/** The published run of `npm run evidence -- --full`, as docs/evidence.md and the README print it. */
import { readFileSync } from 'node:fs';
import type { Report, Result } from '../../../proof/evidence/report.js';
import { table } from './table.js';

const FILE = 'proof/evidence/published.json';

interface PublishedRun extends Report {
  /** `commit` and `cpu`: of an experiment that was run at another commit or on another machine, such as again after a mend */
  results: Array<Result & { commit?: string; cpu?: string }>;
}

export function readPublishedRun(): PublishedRun {
  return JSON.parse(readFileSync(FILE, 'utf8')) as PublishedRun;
}

/** The run in a sentence, and a row for each that it counted. */
export function publishedRun(): string {
  const run = readPublishedRun();
  const rows = run.results.flatMap(({ experiment, commit, date, seconds, rows }) =>
    rows.map(({ what, trials, violations, figures = {} }, i) => {
      const began = i === 0 ? `\`${experiment}\`, ${minuteOf(date)}, ${lasted(seconds)}${atCommit(commit)}` : '';
      const measured = Object.entries(figures).flatMap(([name, figure]) =>
        figure === 0 ? [] : `${name} ${shown(figure)}`,
      );
      return [began, what, shown(trials), violations, measured.join(', ')];
    }),
  );
  return `${sentenceOf(run)}\n\n${table(['experiment, began (UTC), took', 'what must not happen', 'trials', 'violations', 'measured'], rows)}`;
}

/** What the README sums up. `figure` adds up a figure, or takes the greatest, over the rows of these experiments. */
interface Group {
  what(figure: (name: string, how?: 'sum' | 'max') => string): string;
  experiments: string[];
}

export const GROUPS: readonly Group[] = [
  {
    what: () => 'the same refresh token, link, signature or limit, used by many at once',
    experiments: ['refresh-races', 'link-races', 'replays', 'limiter-postgresql', 'limiter-redis'],
  },
  { what: () => 'guesses at passwords', experiments: ['lockout', 'known-devices', 'password-guesses'] },
  {
    what: (figure) =>
      `\`kill -9\` of a gateway or PostgreSQL, ${figure('rounds')} times under load: ${figure('acknowledged')} answers acknowledged`,
    experiments: ['kills', 'kills-embedded'],
  },
  { what: () => '`kill -9` of PostgreSQL at the moment it acknowledges', experiments: ['kills-quiet'] },
  { what: () => 'an answer of the database lost, before or after the commit', experiments: ['lost-answers'] },
  {
    what: (figure) =>
      `faults of PostgreSQL, PgBouncer, Redis, the host and its disks: the slowest 503 after ${figure('slowest_503_ms', 'max')} ms`,
    experiments: ['faults-postgres', 'faults-pgbouncer', 'faults-redis', 'faults-host', 'faults-disk'],
  },
  {
    what: (figure) =>
      `\`kill -9\` of gateways, receivers and PostgreSQL, ${figure('kills')} times while webhooks are sent, and a long backlog: ${figure('doubles')} events came twice, under one id`,
    experiments: ['webhook-kills', 'webhook-backlog'],
  },
  {
    what: () => 'receivers of webhooks and mail servers that are slow, or silent by the hundred',
    experiments: ['slow-receivers', 'slow-mail-servers', 'silent-receivers'],
  },
  {
    what: (figure) =>
      `PostgreSQL under Patroni is switched over, loses power, hangs or is cut off: ${figure('rounds', 'max')} times`,
    experiments: ['failovers'],
  },
  {
    what: () => 'rolling restarts, moves, restored backups and key rotations under load',
    experiments: ['rolling-restarts-nginx', 'rolling-restarts-haproxy', 'move', 'backup', 'key-rotation'],
  },
  { what: () => 'browsers on bad networks, in Chromium and in a model', experiments: ['browsers', 'model'] },
  { what: () => 'hostile requests', experiments: ['fuzz'] },
  {
    what: () => 'times that betray who is known, overload, and memory under steady work',
    experiments: ['timing', 'timing-devices', 'timing-forgot', 'overload', 'soak'],
  },
];

/** The run in a sentence, and a row for each group of its experiments. */
export function publishedSum(): string {
  const run = readPublishedRun();
  const rows = GROUPS.map(({ what, experiments }) => {
    const counted = run.results
      .filter(({ experiment }) => experiments.includes(experiment))
      .flatMap(({ rows }) => rows);
    const figure = (name: string, how: 'sum' | 'max' = 'sum'): string => {
      const figures = counted.flatMap(({ figures = {} }) => figures[name] ?? []);
      return shown(how === 'max' ? Math.max(...figures) : sumOf(figures));
    };
    return [
      what(figure),
      shown(sumOf(counted.map(({ trials }) => trials))),
      sumOf(counted.map(({ violations }) => violations)),
    ];
  });
  return `${sentenceOf(run)}\n\n${table(['what was tried', 'checks', 'violations'], rows)}`;
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

function sentenceOf({ commit, size, machine, results }: PublishedRun): string {
  const again = Map.groupBy(
    results.filter((result) => result.commit !== undefined),
    (result) => result.commit,
  );
  const others = [...again].map(([later, ofIt]) => {
    const names = ofIt.map(({ experiment }) => `\`${experiment}\``);
    return `, for ${names.length > 2 ? `${names.length} experiments` : names.join(' and ')} \`${later}\``;
  });
  const dates = results.map(({ date }) => date.slice(0, 10)).sort();
  const { cores, memory_gib, node } = machine;
  const cpus = [machine.cpu, ...new Set(results.flatMap(({ cpu }) => cpu ?? []))].join(', in part ');
  return `Commit \`${commit}\`${others.join('')}, \`--${size}\`, ${span(dates)}, on ${cores} cores (${cpus}) with ${memory_gib} GiB, Node ${node}.`;
}

function atCommit(commit: string | undefined): string {
  return commit === undefined ? '' : `, at \`${commit}\``;
}

function span(sorted: string[]): string {
  const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
  return first === last ? first : `${first} to ${last}`;
}

function minuteOf(date: string): string {
  return date.slice(0, 16).replace('T', ' ');
}

function lasted(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** A count as it is, and what was measured in three digits. */
function shown(figure: number): string {
  return Number.isInteger(figure) ? figure.toLocaleString('en') : String(Number(figure.toPrecision(3)));
}
