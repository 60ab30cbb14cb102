/** Every experiment has a fault that it must find, and the fault still fits the sources. `--mutants` plants them. */
import { readFileSync } from 'node:fs';
import { BATCHES } from './batches.js';
import { EXPERIMENTS } from './experiments/index.js';
import { changed, editsOf } from './plant.js';

test.each(EXPERIMENTS)('$name has a mutant', ({ mutants }) => {
  expect(mutants.length).toBeGreaterThan(0);
});

test.each(Object.entries(BATCHES))('--batches %s: its texts stand in the sources', (_size, edits) => {
  for (const edit of edits) expect(changed(readFileSync(edit.file, 'utf8'), edit)).toContain(edit.to);
});

test.each(EXPERIMENTS.flatMap(({ mutants }) => mutants))('$name: its text stands in the sources', (mutant) => {
  for (const edit of editsOf(mutant)) {
    const text = readFileSync(edit.file, 'utf8');
    expect(changed(text, edit)).not.toBe(text);
  }
});

test.each([
  ['no such text', 'const b = 1;'],
  ['the text twice', 'const a = 1; const a = 1;'],
])('is refused: %s', (_name, text) => {
  const edit = { file: 'src/x.ts', from: 'const a', to: 'let a' };
  expect(() => changed(text, edit)).toThrow('src/x.ts must have this text exactly once: const a');
});
