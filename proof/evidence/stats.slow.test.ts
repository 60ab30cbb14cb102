/** What the evidence computes from its samples, held against values worked out by hand. */
import { areaUnderCurve, percentile, slope, welchT } from './lab/stats.js';

test('Welch: means 3 and 6, variances 2.5 and 10, five of each', () => {
  expect(welchT([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])).toBeCloseTo(-3 / Math.sqrt(0.5 + 2), 10);
  expect(welchT([2, 4, 6, 8, 10], [1, 2, 3, 4, 5])).toBeCloseTo(3 / Math.sqrt(0.5 + 2), 10);
});

test.each([
  ['all above', [4, 5, 6], [1, 2, 3], 1],
  ['all below', [1, 2, 3], [4, 5, 6], 0],
  ['the same', [1, 2, 3], [1, 2, 3], 0.5],
  ['one of six pairs above, one the same', [1, 3], [2, 3, 4], 1.5 / 6],
])('area under the curve: %s', (_name, left, right, area) => {
  expect(areaUnderCurve(left, right)).toBeCloseTo(area, 10);
});

test('percentile of no order, slope of a line', () => {
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(percentile([], 0.5)).toBeNaN();
  expect(
    slope([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
  ).toBeCloseTo(2, 10);
});
