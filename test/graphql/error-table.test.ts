/** Interface 7: docs/errors.md has every code; `reasons.test.ts` brings the reasons about. */
import { readFileSync } from 'node:fs';
import { REASONS } from '../../src/graphql/reasons.js';
import { GRAPHQL_ERRORS } from '../../src/http/graphql-errors.js';

const text = readFileSync('docs/errors.md', 'utf8');

/** The cells of the table under a heading, without backticks around them. */
function tableUnder(heading: string): string[][] {
  const part = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const [, , ...rows] = part.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((row) => row.split('|').slice(1, -1));
  return cells.map((row) => row.map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')));
}

test('Interface 7: docs/errors.md has every code', () => {
  const named = tableUnder('Codes').map(([code]) => code);
  const codes = new Set([...Object.values(REASONS), ...Object.values(GRAPHQL_ERRORS)].map(({ code }) => code));
  expect(named).toEqual(expect.arrayContaining([...codes]));
});
