/** A table in Markdown. */
export type TableRow = Array<string | number>;

export function table(head: string[], rows: TableRow[]): string {
  const [first, ...others] = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [first, `|${'---|'.repeat(head.length)}`, ...others].join('\n');
}
