/** What is read from the counts of requests. `.ci/long` makes them. */
import { callsIn, countsTable, grown } from './count.js';

const now = { work: 'refresh', instructions: 102_100, allocated: 40_000, systemCalls: 4 };
const before = { work: 'refresh', instructions: 100_000, allocated: 50_000, systemCalls: 4 };

test('over two per cent more instructions are a growth, whatever the other counts are', () => {
  expect(grown([now], [before])).toEqual(['refresh']);
  expect(grown([{ ...now, instructions: 102_000, allocated: 80_000 }], [before])).toEqual([]);
  expect(grown([now], [{ ...before, work: 'logout' }])).toEqual([]);
});

test('the table has the change of each count', () => {
  expect(countsTable([now])).toContain('| refresh | 102,000 | 40,000 | 4 |');
  expect(countsTable([now], [before])).toContain('| refresh | 102,000 (2.1 %) | 40,000 (-20 %) | 4 (0 %) |');
});

test.each([
  ['100.00    0.012345           1      8520       137 total', 8_520],
  ['100.00    0.012345           1      8520           total', 8_520],
])('the calls of %p', (line, calls) => {
  expect(callsIn(`% time  seconds  usecs/call  calls  errors syscall\n${line}\n`)).toBe(calls);
});
