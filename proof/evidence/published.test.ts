/** The run that the documents quote is whole and of one commit, and what it found is mended. */
import { GROUPS, readPublishedRun } from '../../test/support/documents/published-run.js';
import { EXPERIMENTS } from './experiments/index.js';
import { isWhole } from './report.js';

const run = readPublishedRun();
/** What it found. Mended since: `users without a password` in test/auth/placeholder-hashes.test.ts */
const MENDED = ['users with native, old and imported hashes, and unknown e-mails, told apart by time'];

const names = EXPERIMENTS.map(({ name }) => name);

test('each experiment ran in its large size, and nothing is red but what is mended since', () => {
  expect(run.size).toBe('full');
  expect(run.results.map(({ experiment }) => experiment)).toEqual(names);
  expect(run.results.filter((result) => !isWhole(result))).toEqual([]);
  const rows = run.results.flatMap(({ rows }) => rows);
  const red = rows.filter(({ trials, least, violations }) => violations > 0 || trials < least);
  expect(red.map(({ what }) => what)).toEqual(MENDED);
});

test('it names one commit, without changes beside it', () => {
  expect(run.commit).toMatch(/^[0-9a-f]{12}$/);
});

test('the README sums up each experiment once', () => {
  expect(GROUPS.flatMap(({ experiments }) => experiments).toSorted()).toEqual(names.toSorted());
});
