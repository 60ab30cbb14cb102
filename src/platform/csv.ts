/** Rows as CSV (RFC 4180) for spreadsheets and programs. */

/**
 * What makes a spreadsheet take a cell for a formula, by its first character (OWASP, "CSV Injection"): also as a wide
 * character, which some of them treat alike.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Lines of CSV. Each cell is quoted, so that no separator of any country splits it. */
export function csvOf(rows: ReadonlyArray<readonly string[]>): string {
  return rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/** A `'` in front makes a formula text. */
function quoted(cell: string): string {
  return `"${FORMULA.test(cell) ? "'" : ''}${cell.replaceAll('"', '""')}"`;
}
