/** `schema.graphql` is the schema of the code. The test needs no gateway, so `npm run check` runs it too. (Interface 7) */
import { readFileSync } from 'node:fs';
import { printedSchema } from '../../src/graphql/schema.js';

test('Interface 7: schema.graphql is up to date; if it is not: npm run schema', async () => {
  expect(readFileSync('schema.graphql', 'utf8')).toBe(await printedSchema());
});
