/** Rows as text for other programs: CSV for spreadsheets, JSON lines for scripts. */

/**
 * What makes a spreadsheet take a cell for a formula, by its first character (OWASP, "CSV Injection"): also as a wide
 * character, which some of them treat alike.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A cell that no spreadsheet runs: a `'` in front makes it text. */
export function harmless(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** RFC 4180, without its header. Each cell is quoted, so that no separator of any country splits it. */
export function csvOf(rows: ReadonlyArray<readonly string[]>): string {
  return rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function quoted(cell: string): string {
  return `"${harmless(cell).replaceAll('"', '""')}"`;
}

/** One value a line: `application/jsonl` */
export function jsonLinesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
