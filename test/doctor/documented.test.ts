/** docs/doctor.md has each finding, in the order of the code. */
import { readFile } from 'node:fs/promises';
import { FINDINGS } from '../../src/doctor/finding.js';

test('docs/doctor.md has a row for each name of a finding', async () => {
  const text = await readFile('docs/doctor.md', 'utf8');
  expect(Array.from(text.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name)).toEqual([...FINDINGS]);
});
