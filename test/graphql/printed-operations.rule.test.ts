/** The types of the console's operations are those of the schema. `npm run check` runs it too. (Interface 19) */
import { readFileSync } from 'node:fs';
import { PRINTED, printedOperations } from '../../scripts/write-operations.js';

test('Interface 19: pages/console/operations.ts is up to date; if it is not: npm run schema', async () => {
  expect(readFileSync(PRINTED, 'utf8')).toBe(await printedOperations());
});
