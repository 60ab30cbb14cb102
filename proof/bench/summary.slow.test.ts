/** What the bench makes of its slices, held against values worked out by hand. */
import { GOALS, type Goal, type Of } from './goals.js';
import type { Slice } from './rounds.js';
import { judge, judgeMemory, medians } from './summary.js';
import type { Row } from './work.js';

const QUIET = 0.01;
const LOUD = 0.5;

function slice(pass: number, what: string, figures: Partial<Row>, strangers = QUIET, connections = 64): Slice {
  return { work: what, round: 1, pass, strangers, rows: [{ what, connections, ...figures }] };
}

/** A slice of each pass, from the first on */
function slices(what: string, rates: number[], strangers: number[] = []): Slice[] {
  return rates.map((rate, index) => slice(index + 1, what, { rate }, strangers[index]));
}

const of = (what: string): Of => ({ what, figure: 'rate', connections: 64 });
const RATIO: Goal = { what: 'left / right', of: of('left'), to: of('right') };
const [LEAST, MOST] = [
  { ...RATIO, least: 0.9 },
  { ...RATIO, most: 0.9 },
];

test('medians are of the quiet slices, and of all if none was quiet', () => {
  const measured = [
    ...slices('refresh', [100, 300, 200, 9_000], [QUIET, QUIET, QUIET, LOUD]),
    ...slices('statement', [10, 20], [LOUD, LOUD]),
  ];
  expect(medians(measured)).toEqual([
    { what: 'refresh', connections: 64, rate: 200, slices: 3, spread: (250 - 150) / 200, isNoisy: false },
    { what: 'statement', connections: 64, rate: 15, slices: 2, spread: (17.5 - 12.5) / 15, isNoisy: true },
  ]);
});

test('a ratio is the median of the ratios of each pass, not the ratio of the medians', () => {
  // The machine becomes ten times faster: by medians it would be 200 / 100.
  const measured = [...slices('left', [100, 200, 3_000]), ...slices('right', [100, 100, 1_000])];
  expect(judge([RATIO], measured)).toEqual([
    { what: 'left / right', connections: 64, value: 2, low: 1.5, high: 2.5, count: 3 },
  ]);
  const drifting = [...slices('left', [100, 1_000, 10_000]), ...slices('right', [50, 1_000, 20_000])];
  expect(judge([RATIO], drifting)[0]?.value).toBe(1); // 2, 1 and 0.5
});

test('a pass of which one side is missing gives no ratio', () => {
  const measured = [...slices('left', [1, 2, 3, 4]), ...slices('right', [1, 1, 1])];
  expect(judge([RATIO], measured)[0]).toMatchObject({ value: 2, count: 3 });
  expect(judge([RATIO], slices('left', [1]))).toEqual([]);
});

test.each<[string, number[], string, string]>([
  ['the quartiles are above', [0.9, 0.92, 0.94], 'yes', 'no'],
  ['the quartiles are below', [0.8, 0.85, 0.89], 'no', 'yes'],
  ['only the ends are on the other side', [0.5, 0.91, 0.92, 0.93, 0.94], 'yes', 'no'],
  ['the quartiles are on both sides', [0.85, 0.91, 0.92], 'not decided', 'not decided'],
  ['all are the goal', [0.9, 0.9, 0.9], 'yes', 'yes'],
])('at least or at most 0.9, where %s', (_where, ratios, atLeast, atMost) => {
  const measured = [
    ...slices('left', ratios),
    ...slices(
      'right',
      ratios.map(() => 1),
    ),
  ]; // 1: what is divided is exact
  expect(judge([LEAST, MOST], measured).map(({ verdict }) => verdict)).toEqual([atLeast, atMost]);
});

test('a disturbed slice takes its pair out, and too few pairs have no verdict', () => {
  const right = slices('right', [1, 1, 1, 1]);
  const left = (...strangers: number[]) => slices('left', [2, 2, 2, 0.1], strangers);
  expect(judge([LEAST], [...left(QUIET, QUIET, QUIET, LOUD), ...right])[0]).toMatchObject({ count: 3, verdict: 'yes' });
  const two = judge([LEAST], [...left(QUIET, QUIET, LOUD, LOUD), ...right])[0];
  expect(two).toMatchObject({ value: 2, count: 2, verdict: 'noisy' });
  expect(judge([LEAST], [...left(LOUD, LOUD, LOUD, LOUD), ...right])).toEqual([
    { what: 'left / right', connections: 64, count: 0, goal: '≥ 0.9', verdict: 'noisy' },
  ]);
});

test('a run that was interrupted early has too few pairs, not noisy ones', () => {
  const [judged] = judge([LEAST], [...slices('left', [2, 2]), ...slices('right', [1, 1])]);
  expect(judged).toMatchObject({ value: 2, count: 2, verdict: 'too few' });
});

test('CPU without the hash: that of the other threads, in ms', () => {
  const goals = GOALS.filter(({ what }) => what === 'login: CPU without the hash, ms');
  const measured = [2_000, 2_500, 2_400].map((besideHashUs, pass) =>
    slice(pass, 'login', { serverUs: 21_000, besideHashUs }),
  );
  expect(judge(goals, measured)).toEqual([
    {
      what: 'login: CPU without the hash, ms',
      connections: 64,
      value: 2.4, // of 2, 2.5 and 2.4
      low: 2.2,
      high: 2.45,
      count: 3,
      goal: '≤ 2.5',
      verdict: 'yes',
    },
  ]);
});

test('an idle outbox: what a gateway without webhooks takes in the same slice is taken away, in percent of a core', () => {
  const goals = GOALS.filter(({ what }) => what.startsWith('idle outbox'));
  const measured = [
    [5_000, 3_000],
    [9_000, 4_000],
    [30_000, 6_000],
  ].map(([on = 0, off = 0], pass) => ({
    ...slice(pass, 'webhooks-idle', {}),
    rows: [
      { what: 'idle second with a webhook', serverUs: on },
      { what: 'idle second without webhooks', serverUs: off },
    ],
  }));
  const [judged, ...others] = judge(goals, measured);
  expect(judged).toMatchObject({ value: 0.5, count: 3, goal: '≤ 1', verdict: 'not decided' }); // of 0.2, 0.5 and 2.4
  expect(others).toEqual([]); // of PostgreSQL nothing is known
});

test('a goal of a figure alone is judged by its slices', () => {
  const goals = GOALS.filter(({ what }) => what === 'refresh, PostgreSQL µs');
  const measured = [50, 70, 90].map((postgresUs, pass) => slice(pass, 'refresh', { postgresUs }));
  expect(judge(goals, measured)).toEqual([
    {
      what: 'refresh, PostgreSQL µs',
      connections: 64,
      value: 70,
      low: 60,
      high: 80,
      count: 3,
      goal: '≤ 60',
      verdict: 'not decided',
    },
  ]);
});

test('goals of ratios are judged at 64 connections and shown at the others', () => {
  const measured = [1, 64].flatMap((connections) =>
    [1, 2, 3].flatMap((pass) => [
      slice(pass * connections, 'refresh', { rate: 95 }, QUIET, connections),
      slice(pass * connections, 'statement', { rate: 100 }, QUIET, connections),
    ]),
  );
  const judged = judge(GOALS, measured).map(({ what, connections, goal }) => [what, connections, goal]);
  expect(judged).toEqual([
    ['refresh / bare statement', 1, undefined],
    ['refresh / bare statement', 64, '≥ 0.9'],
  ]);
});

test.each([
  [[60, 100], []],
  [
    [60, 140, 160],
    [
      ['yes', 60],
      ['yes', 160],
    ],
  ],
  [
    [91, 170, 150, 140, 157.5],
    [
      ['no', 91],
      ['no', 170],
      ['yes', 1.05],
    ],
  ],
  [
    [60, 100, 150, 150, 159],
    [
      ['yes', 60],
      ['yes', 159],
      ['no', 1.06],
    ],
  ],
  [[], []],
])('anonymous memory of %p MB', (samples, expected) => {
  expect(judgeMemory(samples).map(({ verdict, value }) => [verdict, value])).toEqual(expected);
});
