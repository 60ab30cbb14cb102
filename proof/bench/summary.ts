/** What is made of the slices: medians of each work, and verdicts on what is compared. */
import { percentile } from '../evidence/lab/stats.js';
import { type Figure, type Goal, MOST_AT_REST_MB, MOST_GROWTH, MOST_UNDER_LOAD_MB, type Of } from './goals.js';
import { NOISY, type Slice } from './rounds.js';
import type { Row } from './work.js';

/** Medians of the slices that were quiet, or of all where none was */
export interface Line extends Row {
  /** How many slices these are the medians of */
  slices: number;
  /** From quartile to quartile of the rate, or else of the time or CPU, as a share of the median */
  spread: number;
  isNoisy: boolean;
}

const SPREAD_OF = ['rate', 'medianMs', 'serverUs'] as const;

export function medians(slices: readonly Slice[]): Line[] {
  const byKey = Map.groupBy(
    slices.flatMap(({ rows, strangers }) => rows.map((row) => ({ row, isNoisy: strangers > NOISY }))),
    ({ row }) => `${row.what} ${row.connections}`,
  );
  return [...byKey.values()].flatMap((all) => {
    const quiet = all.filter(({ isNoisy }) => !isNoisy);
    const rows = (quiet.length > 0 ? quiet : all).map(({ row }) => row);
    const [first] = rows;
    if (first === undefined) return [];
    const { what, connections: _, ...figures } = first;
    const valuesOf = (name: Figure): number[] => rows.flatMap((row) => row[name] ?? []);
    const names = Object.keys(figures) as Figure[];
    const ofSlices = Object.fromEntries(names.map((name) => [name, percentile(valuesOf(name), 0.5)]));
    const { median, low, high } = quartilesOf(valuesOf(SPREAD_OF.find((name) => name in figures) ?? 'rate'));
    const spread = (high - low) / median;
    return [{ ...first, what, ...ofSlices, slices: rows.length, spread, isNoisy: quiet.length === 0 }];
  });
}

/**
 * `not decided`: the goal lies between the quartiles.
 * `noisy`: strangers have disturbed so much that fewer than three values are left.
 * `too few`: fewer than three were measured.
 */
export type Verdict = 'yes' | 'no' | 'not decided' | 'noisy' | 'too few';

export interface Judged {
  what: string;
  connections?: number;
  /** Median; undefined if every slice was disturbed */
  value?: number;
  /** The quartiles, of this many values: pairs of slices, or slices */
  low?: number;
  high?: number;
  count: number;
  /** Neither is there if the value is only shown. */
  goal?: string;
  verdict?: Verdict;
}

/** Fewer values have no quartiles. */
const LEAST_VALUES = 3;

/** Those whose figures are there */
export function judge(goals: readonly Goal[], slices: readonly Slice[]): Judged[] {
  return goals.flatMap((goal) => {
    const { what, of, least, most } = goal;
    const connections = goal.connections ?? of.connections;
    const all = valuesOf(goal, slices);
    if (all.length === 0) return [];
    const values = all.flatMap(({ value, isQuiet }) => (isQuiet ? [value] : []));
    const its = { what, ...(connections !== undefined && { connections }), ...spreadOf(values), count: values.length };
    if (least === undefined && most === undefined) return [its];
    const verdict = verdictOn(values, goal) ?? (all.length < LEAST_VALUES ? 'too few' : 'noisy');
    return [{ ...its, goal: least === undefined ? `≤ ${most}` : `≥ ${least}`, verdict }];
  });
}

/** @returns undefined for fewer than three values */
function verdictOn(values: readonly number[], { least, most }: Pick<Goal, 'least' | 'most'>): Verdict | undefined {
  if (values.length < LEAST_VALUES) return undefined;
  const { low, high } = quartilesOf(values);
  if (low >= (least ?? low) && high <= (most ?? high)) return 'yes';
  if (high < (least ?? high) || low > (most ?? low)) return 'no';
  return 'not decided';
}

interface Value {
  value: number;
  /** Whether strangers have disturbed none of its slices */
  isQuiet: boolean;
}

/** Of each slice, or of each pass in which both sides were measured */
function valuesOf({ of, to, by = 'divided', scale = 1 }: Goal, slices: readonly Slice[]): Value[] {
  const left = figuresOf(of, slices);
  if (to === undefined) return [...left.values()].map(({ value, isQuiet }) => ({ value: value * scale, isQuiet }));
  const right = figuresOf(to, slices);
  return [...left].flatMap(([pass, { value, isQuiet }]) => {
    const other = right.get(pass);
    if (other === undefined) return [];
    const compared = by === 'minus' ? value - other.value : value / other.value;
    return [{ value: compared * scale, isQuiet: isQuiet && other.isQuiet }];
  });
}

/** By pass */
function figuresOf({ what, figure, connections }: Of, slices: readonly Slice[]): Map<number, Value> {
  return new Map(
    slices.flatMap(({ pass, strangers, rows }) => {
      const row = rows.find((each) => each.what === what && each.connections === connections);
      const value = row?.[figure];
      return value === undefined ? [] : [[pass, { value, isQuiet: strangers <= NOISY }] as const];
    }),
  );
}

function quartilesOf(values: readonly number[]): { median: number; low: number; high: number } {
  const [low = 0, median = 0, high = 0] = [0.25, 0.5, 0.75].map((share) => percentile(values, share));
  return { low, median, high };
}

function spreadOf(values: readonly number[]): Pick<Judged, 'value' | 'low' | 'high'> {
  if (values.length === 0) return {};
  const { median: value, low, high } = quartilesOf(values);
  return { value, low, high };
}

/** @param samples anonymous memory of the gateway: MB, when it was ready, before the first round, and after each */
export function judgeMemory(samples: readonly number[]): Judged[] {
  const [atRest, ...loaded] = samples;
  const [, first] = loaded;
  const last = loaded.at(-1);
  if (atRest === undefined || first === undefined || last === undefined) return [];
  const atMost = (what: string, value: number, most: number): Judged => ({
    ...{ what: `anonymous memory${what}`, value, count: 1 },
    ...{ goal: `≤ ${most}`, verdict: value <= most ? 'yes' : 'no' },
  });
  const judged = [
    atMost(' at rest, MB', atRest, MOST_AT_REST_MB),
    atMost(' under 64 connections, MB', Math.max(...loaded), MOST_UNDER_LOAD_MB),
  ];
  return loaded.length < 3 ? judged : [...judged, atMost(', last round / first', last / first, MOST_GROWTH)];
}
