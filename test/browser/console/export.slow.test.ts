/** What the console exports is read back as it was, and no spreadsheet runs it. (Interface 19) */
import fc from 'fast-check';
import { jsonLinesOf } from '../../../pages/kit/export.js';
import { csvOf } from '../../../src/platform/csv.js';
import { readCsv } from '../../support/independent/csv.js';

/** What begins a formula, or is taken for it (OWASP, "CSV Injection") */
const SIGNS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...SIGNS, '"', ',', ';', "'", 'a', ' ') }),
);
/** A table whose rows have equally many cells. */
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }));

test('Interface 19: cells of CSV are read back as they were; one that would be a formula has a quote in front', () => {
  fc.assert(
    fc.property(table, (rows) => {
      const read = readCsv(csvOf(rows));
      expect(read).toEqual(
        rows.map((cells) => cells.map((cell) => (SIGNS.includes(cell[0] ?? '') ? `'${cell}` : cell))),
      );
      for (const cell of read.flat()) expect(SIGNS).not.toContain(cell[0]);
    }),
  );
});

test.each([
  ['=1+1', `"'=1+1"\r\n`],
  ['@SUM(A1)', `"'@SUM(A1)"\r\n`],
  ['-2+3', `"'-2+3"\r\n`],
  ['say "no", please', '"say ""no"", please"\r\n'],
  ["'quoted", `"'quoted"\r\n`],
])('Interface 19: the cell %j is written as %j', (cell, written) => {
  expect(csvOf([[cell]])).toBe(written);
});

test('Interface 19: JSON lines are one value a line', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const lines = jsonLinesOf(values).split('\n');
      expect(lines.pop()).toBe('');
      expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});
