/** The faults that experiments must find still fit the sources. `--mutants` plants them. */
import { readFileSync } from 'node:fs';
import { EXPERIMENTS } from './experiments/index.js';
import { mutate } from './plant.js';

test.each(EXPERIMENTS.flatMap(({ mutants }) => mutants))('its text stands in $file: $name', (mutant) => {
  const text = readFileSync(mutant.file, 'utf8');
  expect(mutate(text, mutant)).not.toBe(text);
});
