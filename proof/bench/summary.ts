/** Medians over the rounds, and the goals that they are held against. */
import { percentile } from '../evidence/lab/stats.js';
import { type Measured, NOISY } from './rounds.js';
import { FEW, MANY, rowsName } from './rows.js';
import type { Row } from './work.js';

type Figure = Exclude<keyof Row, 'what' | 'connections'>;

/** Medians of what was quiet, or of all where nothing was */
export interface Line extends Row {
  /** How many measurements these are the medians of */
  rounds: number;
  /** How far apart they are: of the rate, or else of the time or CPU, from the least to the most, as a share of the median */
  spread: number;
  isNoisy: boolean;
}

export function medians(measured: readonly Measured[]): Line[] {
  const byKey = Map.groupBy(
    measured.flatMap(({ rows, strangers }) => rows.map((row) => ({ row, isNoisy: strangers > NOISY }))),
    ({ row }) => `${row.what} ${row.connections}`,
  );
  return [...byKey.values()].flatMap((all) => {
    const quiet = all.filter(({ isNoisy }) => !isNoisy);
    const rows = (quiet.length > 0 ? quiet : all).map(({ row }) => row);
    const [first] = rows;
    if (first === undefined) return [];
    const { what, connections: _, ...figures } = first;
    const valuesOf = (name: Figure): number[] => rows.map((row) => row[name] ?? 0);
    const names = Object.keys(figures) as Figure[];
    const ofRounds = Object.fromEntries(names.map((name) => [name, percentile(valuesOf(name), 0.5)]));
    const main = SPREAD_OF.find((name) => name in figures) ?? 'rate';
    const values = valuesOf(main);
    const spread = (Math.max(...values) - Math.min(...values)) / (ofRounds[main] ?? 1);
    return [{ ...first, what, ...ofRounds, rounds: rows.length, spread, isNoisy: quiet.length === 0 }];
  });
}

const SPREAD_OF = ['rate', 'medianMs', 'serverUs'] as const;

/** A figure of the table */
type Find = (what: string, figure: Figure, connections?: number) => number | undefined;

interface Goal {
  what: string;
  connections?: number;
  value(find: Find): number | undefined;
  least?: number;
  most?: number;
}

export interface Judged {
  what: string;
  connections?: number;
  value: number;
  goal: string;
  holds: boolean;
}

const ratio = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? undefined : left / right;

const [few, many] = [FEW, MANY].map(rowsName) as [string, string];

export const GOALS: Goal[] = [
  {
    what: 'refresh / bare statement',
    connections: 64,
    value: (find) => ratio(find('refresh', 'rate', 64), find('statement', 'rate', 64)),
    least: 0.6,
  },
  {
    what: 'refresh / node-oidc-provider',
    connections: 64,
    value: (find) => ratio(find('refresh', 'rate', 64), find('peer', 'rate', 64)),
    least: 3,
  },
  { what: 'refresh, gateway µs', connections: 64, value: (find) => find('refresh', 'serverUs', 64), most: 200 },
  { what: 'refresh, PostgreSQL µs', connections: 64, value: (find) => find('refresh', 'postgresUs', 64), most: 150 },
  ...[16, 64].map((connections) => ({
    what: 'login / raw argon2',
    connections,
    value: (find: Find) => ratio(find('login', 'rate', connections), find('argon2', 'rate')),
    least: 0.95,
  })),
  {
    what: 'refresh beside 64 logins, p99 ms',
    connections: 16,
    value: (find) => find('refresh beside 64 logins', 'p99Ms', 16),
    most: 50,
  },
  {
    what: 'logout / refresh',
    connections: 64,
    value: (find) => ratio(find('logout', 'rate', 64), find('refresh', 'rate', 64)),
    least: 1,
  },
  {
    what: 'caller by token / bare Apollo',
    connections: 64,
    value: (find) => ratio(find('caller-token', 'rate', 64), find('apollo', 'rate', 64)),
    least: 0.75,
  },
  {
    what: 'caller by signature / bare Apollo',
    connections: 64,
    value: (find) => ratio(find('caller-signature', 'rate', 64), find('apollo', 'rate', 64)),
    least: 0.4,
  },
  {
    what: '10 k / 10 M rows, throughput',
    connections: 64,
    value: (find) => ratio(find(few, 'rate', 64), find(many, 'rate', 64)),
    most: 1.1,
  },
  {
    what: '10 M / 10 k rows, PostgreSQL µs',
    connections: 64,
    value: (find) => ratio(find(many, 'postgresUs', 64), find(few, 'postgresUs', 64)),
    most: 1.1,
  },
  { what: 'start until ready, ms', value: (find) => find('start until ready', 'medianMs'), most: 500 },
  { what: 'command, ms', value: (find) => find('command `user list`', 'medianMs'), most: 500 },
];

/** Those whose figures are there */
export function judge(goals: readonly Goal[], lines: readonly Line[]): Judged[] {
  const find: Find = (what, figure, connections) =>
    lines.find((line) => line.what === what && line.connections === connections)?.[figure];
  return goals.flatMap(({ what, connections, value: compute, least, most }) => {
    const value = compute(find);
    if (value === undefined) return [];
    const holds = value >= (least ?? value) && value <= (most ?? value);
    const goal = least === undefined ? `≤ ${most}` : `≥ ${least}`;
    return [{ what, ...(connections !== undefined && { connections }), value, goal, holds }];
  });
}

/** Resident memory of the gateway: MB, before the first round and after each. */
export function judgeMemory(samples: readonly number[]): Judged[] {
  const [, first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return [];
  const judged = [{ what: 'memory after the last round, MB', value: last, goal: '≤ 160', holds: last <= 160 }];
  if (samples.length < 3) return judged;
  const value = last / first;
  return [...judged, { what: 'memory, last round / first', value, goal: '≤ 1.1', holds: value <= 1.1 }];
}

/** In Markdown, as the documents quote it */
export function tableOf(lines: readonly Line[], judged: readonly Judged[]): string {
  const cell = (figure: number | undefined, digits = 3): string =>
    figure === undefined ? '' : Number(figure.toPrecision(digits)).toLocaleString('en', { maximumFractionDigits: 3 });
  const row = (...cells: Array<string | number | undefined>): string =>
    `| ${cells.map((text) => text ?? '').join(' | ')} |`;
  return [
    row(
      'work',
      'connections',
      'rate',
      'median ms',
      'p99 ms',
      'gateway µs',
      'PostgreSQL µs',
      'spread',
      'ratio',
      'goal',
      'holds?',
    ),
    row('---', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '--:', '---'),
    ...lines.map(({ what, connections, rate, medianMs, p99Ms, serverUs, postgresUs, spread, isNoisy }) => {
      const noisy = isNoisy ? 'noisy' : '';
      const measured = [cell(rate, 4), cell(medianMs), cell(p99Ms), cell(serverUs), cell(postgresUs)];
      const apart = `${(spread * 100).toFixed(0)} %`;
      return row(what, connections, ...measured, apart, '', '', noisy);
    }),
    ...judged.map(({ what, connections, value, goal, holds }) =>
      row(what, connections, '', '', '', '', '', '', cell(value), goal, holds ? 'yes' : 'no'),
    ),
  ].join('\n');
}
