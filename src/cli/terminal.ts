/** Where a command reads and prints. `start/process.ts` hands in the process's own streams. */
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliRefusal } from './exit.js';

/** The reason of `untilStopped` where nobody reads any more; a signal has another. */
export const READ_ENOUGH = 'whoever reads has enough';

export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** What somebody types before the words of a command, as this one was called: messages say it. */
  command: string;
  /** From now on it is told here, and not by the end of the process, when whoever reads wants no more. */
  untilStopped(): AbortSignal;
}

/** Everything that stands on standard input, without the newline that ends it. */
export async function readAll({ stdin }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Asks on the terminal without showing what is typed. @throws {CliRefusal} where the input ends */
export async function askHidden({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  stderr.write(question);
  try {
    return await nextLine(lines);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

/** Goes on where `yes` is typed. @param loss what cannot be undone: a sentence @throws {CliRefusal} */
export async function confirm({ stdin, stderr }: Terminal, loss: string): Promise<void> {
  const lines = createInterface({ input: stdin });
  say({ stderr }, loss);
  stderr.write('Type yes to go on: ');
  const answer = await nextLine(lines).finally(() => lines.close());
  if (answer.trim() !== 'yes') cancelled();
}

/** @throws {CliRefusal} where the input ends, for which `question` alone would wait for ever */
function nextLine(lines: Interface): Promise<string> {
  const ended = once(lines, 'close').then(() => cancelled());
  return Promise.race([lines.question(''), ended]);
}

function cancelled(): never {
  throw new CliRefusal('cancelled; nothing was changed');
}

type Cell = string | number | boolean | null | readonly string[] | Record<string, unknown>;
export type Printable = Record<string, Cell>;

/** One JSON object or array with `--json`, else lines for a person: `name: value`, or a table. */
export function print(
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
  result: Printable | Printable[],
  json: boolean,
): void {
  if (json) printJson(terminal, result);
  else if (!Array.isArray(result))
    for (const [name, value] of Object.entries(result)) terminal.stdout.write(`${escaped(name)}: ${text(value)}\n`);
  else if (result.length > 0) printTable(terminal)(result);
  else say(terminal, 'there are none');
}

/** Sentences for a person. */
export function printLines({ stdout }: Pick<Terminal, 'stdout'>, lines: readonly string[]): void {
  stdout.write(lines.map((line) => `${escaped(line)}\n`).join(''));
}

export function printJson({ stdout }: Pick<Terminal, 'stdout'>, result: object): void {
  stdout.write(jsonLine(result));
}

/** One line, which stays the same JSON: what is escaped stands in strings. */
export function jsonLine(result: object): string {
  return `${escaped(JSON.stringify(result))}\n`;
}

/** A table that may go on: its columns are as wide as all rows so far need. */
export function printTable({ stdout }: Pick<Terminal, 'stdout'>): (rows: Printable[]) => void {
  let widths: number[] = [];
  return (rows) => {
    if (rows.length === 0) return;
    const names = Object.keys(rows[0] ?? {});
    const lines = rows.map((row) => names.map((name) => text(row[name])));
    if (widths.length === 0) lines.unshift(names.map(escaped));
    widths = names.map((_, column) =>
      lines.reduce((widest, line) => Math.max(widest, line[column]?.length ?? 0), widths[column] ?? 0),
    );
    const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
    stdout.write(padded.map((line) => `${line.trimEnd()}\n`).join(''));
  };
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
