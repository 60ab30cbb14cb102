/** Values as text for scripts; `csvOf` is for spreadsheets. */

/** One value a line: `application/jsonl` */
export function jsonLinesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
