/** docs/monitoring.md#doctor has each finding, in the order of the code. */
import { FINDINGS } from '../../src/doctor/finding.js';
import { textOf } from '../documents/printed.js';

test('docs/monitoring.md#doctor has a row for each name of a finding', () => {
  const text = textOf('docs/monitoring.md#doctor');
  expect(Array.from(text.matchAll(/^- `(\w+)`: /gm), ([, name]) => name)).toEqual([...FINDINGS]);
});
