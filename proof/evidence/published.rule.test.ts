/** The run that the documents quote is whole, of commits that it names, and nothing that it found is left. */
import { GROUPS, readPublishedRun } from '../../test/support/documents/published-run.js';
import { EXPERIMENTS } from './experiments/index.js';
import { isWhole, redOf } from './report.js';

const run = readPublishedRun();
const names = EXPERIMENTS.map(({ name }) => name);

test('each experiment ran in its large size, and nothing is red', () => {
  expect(run.size).toBe('full');
  expect(run.results.filter(isWhole).map(({ experiment }) => experiment)).toEqual(names);
  expect(redOf(run, EXPERIMENTS)).toBe(0);
});

test('it names its commit, and that of an experiment that was run again after a mend, without changes beside it', () => {
  for (const { commit } of run.results) expect(commit ?? run.commit).toMatch(/^[0-9a-f]{12}$/);
});

test('the README sums up each experiment once', () => {
  expect(GROUPS.flatMap(({ experiments }) => experiments).toSorted()).toEqual(names.toSorted());
});
