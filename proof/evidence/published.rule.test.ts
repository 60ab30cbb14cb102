/** The run that the documents quote is whole, of commits that it names, and nothing that it found is left. */
import { readPublishedRun } from '../../test/support/documents/published-run.js';
import { EXPERIMENTS } from './experiments/index.js';
import { isWhole, redOf } from './report.js';
import { TITLES } from './titles.js';

const run = readPublishedRun();
const names = EXPERIMENTS.map(({ name }) => name);

test('each experiment ran in its large size, and nothing is red', () => {
  expect(run.size).toBe('full');
  expect(run.results.filter(isWhole).map(({ experiment }) => experiment)).toEqual(names);
  expect(redOf(run, EXPERIMENTS)).toBe(0);
});

test('it names its commit, and that of an experiment that was run again after a fix, without changes that are not committed', () => {
  for (const { commit } of run.results) expect(commit ?? run.commit).toMatch(/^[0-9a-f]{12}$/);
});

test('each experiment has its title, in the order of the report', () => {
  expect(Object.keys(TITLES)).toEqual(names);
});
