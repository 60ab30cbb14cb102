/** Interface 7: docs/dashboards.md has every code; `reasons.test.ts` causes the reasons. */
import { readFileSync } from 'node:fs';
import { CODES } from '../../src/graphql/reasons.js';
import { GRAPHQL_ERRORS } from '../../src/http/error-body.js';

test('Interface 7: docs/dashboards.md says what to do about every code', () => {
  const rows = readFileSync('docs/dashboards.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \| \d.* \| .+ \|$/gm);
  const codes = new Set([...Object.values(CODES), ...Object.values(GRAPHQL_ERRORS).map(({ code }) => code)]);
  expect(Array.from(rows, ([, code]) => code)).toEqual(expect.arrayContaining([...codes]));
});
