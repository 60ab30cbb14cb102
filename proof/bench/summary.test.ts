/** What the bench makes of its measurements, held against values worked out by hand. */
import type { Measured } from './rounds.js';
import { GOALS, judge, judgeMemory, medians, tableOf } from './summary.js';

const QUIET = 0.01;
const LOUD = 0.5;

function measured(what: string, rate: number, strangers = QUIET): Measured {
  return { work: what, round: 1, strangers, rows: [{ what, connections: 64, rate }] };
}

test('medians are of the quiet rounds, and of all if none was quiet', () => {
  const rounds = [
    ...[100, 300, 200].map((rate) => measured('refresh', rate)),
    measured('refresh', 9_000, LOUD),
    ...[10, 20].map((rate) => measured('statement', rate, LOUD)),
  ];
  expect(medians(rounds)).toEqual([
    { what: 'refresh', connections: 64, rate: 200, rounds: 3, spread: 1, isNoisy: false },
    { what: 'statement', connections: 64, rate: 15, rounds: 2, spread: 10 / 15, isNoisy: true },
  ]);
});

test.each([
  [600, 1_000, 'yes'],
  [599, 1_000, 'no'],
])('refresh at %p a second beside a bare statement at %p: %p', (refresh, statement, holds) => {
  const lines = medians([measured('refresh', refresh), measured('statement', statement)]);
  const judged = judge(GOALS, lines);
  expect(judged.map(({ what }) => what)).toEqual(['refresh / bare statement']); // what was not measured is not judged
  expect(tableOf(lines, judged).split('\n').at(-1)).toBe(
    `| refresh / bare statement | 64 |  |  |  |  |  |  | ${refresh === 600 ? '0.6' : '0.599'} | ≥ 0.6 | ${holds} |`,
  );
});

test.each([
  [[100, 150], [true]],
  [
    [100, 150, 155, 160],
    [true, true],
  ],
  [
    [100, 140, 159],
    [true, false],
  ],
  [
    [100, 160, 161],
    [false, true],
  ],
])('memory of %p MB', (samples, holds) => {
  expect(judgeMemory(samples).map((judged) => judged.holds)).toEqual(holds);
});
