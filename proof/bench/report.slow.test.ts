/** What a run prints, also one that ends in the middle. */
import { published, readPublished } from './published.js';
import { finish } from './report.js';
import type { Slice } from './rounds.js';

const NO_MEMORY = { resident: [], anonymous: [] };

function slice(what: string, pass: number, rate: number): Slice {
  return { work: what, round: 1, pass, strangers: 0, rows: [{ what, connections: 64, rate }] };
}

test('a run that is interrupted before its first slice says so', () => {
  expect(finish({ slices: [], failed: [] }, NO_MEMORY).text).toBe('Nothing was measured.');
});

test.each([
  ['one side of a pass', [slice('refresh', 1, 90)]],
  ['a pass', [slice('refresh', 1, 90), slice('statement', 1, 100)]],
  ['a slice of no answers', [slice('refresh', 1, Number.NaN), slice('statement', 1, 100)]],
])('a run that is interrupted after %s prints what there is, and no NaN', (_after, slices) => {
  const memory = { resident: [150], anonymous: [100] };
  const { text, json } = finish({ slices, failed: [] }, memory);
  expect(text).toContain('| refresh | 64 |');
  expect(text).toContain('150 MB, of which anonymous 100 MB');
  expect(text + JSON.stringify(json)).not.toMatch(/NaN|undefined|Infinity/);
});

test('prints the median, the quartiles and the verdict of each goal', () => {
  const rates = { refresh: [80, 95, 104], statement: [100, 100, 100] };
  const slices = Object.entries(rates).flatMap(([what, all]) => all.map((rate, pass) => slice(what, pass, rate)));
  const { text } = finish({ slices, failed: [] }, { resident: [100, 150, 180, 190], anonymous: [60, 100, 120, 130] });
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\| refresh \| 64 \| 95 \|.*\| 3 \| 13 % \|$/),
      '| refresh / bare statement | 64 | 0.95 | 0.875 to 0.995 | 3 | ≥ 0.9 | not decided |',
      '| anonymous memory at rest, MB |  | 60 |  | 1 | ≤ 90 | yes |',
      '| anonymous memory under 64 connections, MB |  | 130 |  | 1 | ≤ 160 | yes |',
      '| anonymous memory, last round / first |  | 1.08 |  | 1 | ≤ 1.05 | no |',
    ]),
  );
});

test('what is published are the works at 64 connections, the goals, and the CPU in the run before', () => {
  const slices = [1, 2, 3].flatMap((pass) =>
    ['refresh', 'statement'].map((what) => ({
      ...slice(what, pass, 0),
      rows: [4, 64].map((connections) => ({ what, connections, rate: 90 })),
    })),
  );
  const { lines, goals } = finish(
    { slices, failed: [] },
    { resident: [100, 150, 180], anonymous: [60, 100, 120] },
  ).json;
  const machine = { cpu: 'x', cores: 2, memory_gib: 8, node: '24.0.0' };
  const run = { date: '2026-12-01T00:00:00.000Z', commit: 'c0ffee', machine, postgres: '18.4', lines, goals };
  const replaced = { ...readPublished(), lines: [{ what: 'refresh', serverUs: 110 }, { what: 'start' }] };
  const { lines: works, goals: judged, before } = published(run, replaced);
  expect(works).toMatchObject([
    { what: 'refresh', connections: 64 },
    { what: 'statement', connections: 64 },
  ]);
  expect(judged.map(({ what, connections }) => [what, connections])).toEqual([
    ['refresh / bare statement', 64],
    ['anonymous memory at rest, MB', undefined],
    ['anonymous memory under 64 connections, MB', undefined],
  ]);
  expect(before).toEqual({ commit: replaced.commit, date: replaced.date.slice(0, 10), server_us: { refresh: 110 } });
});
