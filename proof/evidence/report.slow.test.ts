/** What is red: a violation, too few trials, and whatever did not run without being named. */
import type { Row } from './experiment.js';
import { EXPERIMENTS } from './experiments/index.js';
import { readOptions } from './options.js';
import { type Result, redOf, startReport, tableOf } from './report.js';

const GREEN: Row = { what: 'sessions lost', trials: 10, least: 10, violations: 0 };
const RESULT: Result = { experiment: 'tried', date: '2026-01-01T00:00:00.000Z', seconds: 1, rows: [GREEN] };

function redWith(changes: Partial<Result>): number {
  return redOf({ ...startReport('small'), results: [{ ...RESULT, ...changes }] }, [{ name: 'tried' }]);
}

test.each<[string, Partial<Result>, number]>([
  ['no violation in enough trials', {}, 0],
  ['left out by --without', { rows: [], withoutIt: true }, 0],
  ['a violation', { rows: [GREEN, { ...GREEN, violations: 3 }] }, 1],
  ['one trial too few', { rows: [{ ...GREEN, trials: 9 }] }, 1],
  ['no row', { rows: [] }, 1],
  ['a program that is missing', { rows: [], leftOut: 'without etcd' }, 1],
  ['an error', { rows: [], failed: 'the gateway has ended' }, 1],
])('%s', (_name, changes, red) => {
  expect(redWith(changes)).toBe(red);
});

test('an experiment that did not begin is red', () => {
  expect(redOf({ ...startReport('small'), results: [RESULT] }, [{ name: 'tried' }, { name: 'interrupted' }])).toBe(1);
});

test('the table names what is red', () => {
  const rows = [GREEN, { ...GREEN, what: 'thefts', trials: 9 }, { ...GREEN, what: 'logouts undone', violations: 2 }];
  const table = tableOf({ ...startReport('small'), results: [{ ...RESULT, rows }] });
  expect(table.match(/^\|.*RED.*$/gm)).toEqual([
    '| thefts | 9, less than 10 | RED 0 |  |',
    '| logouts undone | 10 | RED 2 |  |',
  ]);
});

test('--without takes an experiment away, and a name that does not exist is refused', () => {
  const { chosen, without } = readOptions(['--full', '--without', 'failovers']);
  expect(without.map(({ name }) => name)).toEqual(['failovers']);
  expect(chosen.length).toBe(EXPERIMENTS.length - 1);
  expect(() => readOptions(['--without', 'failover'])).toThrow('no such experiment: failover; there are ');
  expect(() => readOptions(['--only', 'failovers,soaks'])).toThrow('no such experiment: soaks; there are ');
  expect(readOptions(['--full', '--batches', 'small'])).toMatchObject({ size: 'full', batches: 'small' });
  expect(() => readOptions(['--batches', 'huge'])).toThrow('--batches is small or large');
  expect(() => readOptions(['--full', '--mutants'])).toThrow('leave out --full');
});
