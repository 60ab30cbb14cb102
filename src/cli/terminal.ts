/** Where a command reads and prints. `main.ts` hands in the process's own streams. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Everything that stands on standard input, without the newline that ends it. */
export async function readAll({ stdin }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Asks on the terminal without showing what is typed. */
export async function askHidden({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  stderr.write(question);
  try {
    return await lines.question('');
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

type Cell = string | number | boolean | null | readonly string[] | Record<string, unknown>;
export type Printable = Record<string, Cell>;

/** One JSON object or array with `--json`, else lines for a person: `name: value`, or a table. */
export function print({ stdout }: Terminal, result: Printable | Printable[], json: boolean): void {
  if (json)
    stdout.write(`${escaped(JSON.stringify(result))}\n`); // what is escaped stands in strings, so it stays JSON
  else if (Array.isArray(result)) stdout.write(table(result));
  else for (const [name, value] of Object.entries(result)) stdout.write(`${escaped(name)}: ${text(value)}\n`);
}

/** Lines for a person on standard error. */
export function say({ stderr }: Pick<Terminal, 'stderr'>, message: string): void {
  stderr.write(`${message.split('\n').map(escaped).join('\n')}\n`);
}

/**
 * What a terminal would obey rather than show (controls, the 8-bit ones too, marks of direction, breaks of lines, halves
 * of pairs) as `\uXXXX`, because anybody may send it, as in a User-Agent.
 */
function escaped(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function text(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '-';
  if (Array.isArray(cell)) return escaped(cell.join(' '));
  return escaped(typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
}

function table(rows: Printable[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names.map(escaped), ...rows.map((row) => names.map((name) => text(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return padded.map((line) => `${line.trimEnd()}\n`).join('');
}
