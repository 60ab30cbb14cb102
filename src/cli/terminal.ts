/** Input and output of a command. `start/process.ts` passes the streams of the process. */
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliRefusal } from './refusal.js';

/** Abort reason of `stopSignal` after the reader of standard output has closed it. */
export const READER_CLOSED = 'the reader has closed standard output';

export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** The name under which this program was called, for messages */
  command: string;
  /** From now on Ctrl-C and a closed standard output abort this signal instead of ending the process. */
  stopSignal(): AbortSignal;
}

/** All of standard input, without a final newline. */
export async function readAll({ stdin }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Asks on the terminal without echo. @throws {CliRefusal} if the input ends */
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

/** Returns if `yes` is typed. @param loss a sentence about the irreversible effect @throws {CliRefusal} otherwise */
export async function confirm({ stdin, stderr }: Terminal, loss: string): Promise<void> {
  const lines = createInterface({ input: stdin });
  printMessage({ stderr }, loss);
  stderr.write('Type yes to continue: ');
  const answer = await nextLine(lines).finally(() => lines.close());
  if (answer.trim() !== 'yes') cancelled();
}

/** @throws {CliRefusal} if the input ends; `question` alone would then wait for ever */
function nextLine(lines: Interface): Promise<string> {
  const ended = once(lines, 'close').then(() => cancelled());
  return Promise.race([lines.question(''), ended]);
}

function cancelled(): never {
  throw new CliRefusal('cancelled; nothing was changed');
}

type Cell = string | number | boolean | null | readonly string[] | Record<string, unknown>;
export type Printable = Record<string, Cell>;

/** Prints one JSON value with `--json`, otherwise lines of `name: value` or a table. */
export function print(
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
  result: Printable | Printable[],
  json: boolean,
): void {
  if (json) printJson(terminal, result);
  else if (!Array.isArray(result))
    for (const [name, value] of Object.entries(result)) terminal.stdout.write(`${escaped(name)}: ${text(value)}\n`);
  else if (result.length > 0) printTable(terminal)(result);
  else printMessage(terminal, 'no results');
}

export function printLines({ stdout }: Pick<Terminal, 'stdout'>, lines: readonly string[]): void {
  stdout.write(lines.map((line) => `${escaped(line)}\n`).join(''));
}

export function printJson({ stdout }: Pick<Terminal, 'stdout'>, result: object): void {
  stdout.write(jsonLine(result));
}

/** One line. Escaping keeps the JSON equal because only strings contain such characters. */
export function jsonLine(result: object): string {
  return `${escaped(JSON.stringify(result))}\n`;
}

/** A table that can be continued: columns grow with the widest row so far. */
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

/** Prints lines on standard error. */
export function printMessage({ stderr }: Pick<Terminal, 'stderr'>, message: string): void {
  stderr.write(`${message.split('\n').map(escaped).join('\n')}\n`);
}

/**
 * Escapes as `\uXXXX` what would control a terminal: control characters (also 8-bit), direction marks, line breaks and lone
 * surrogates. Anybody can send them, for example in a User-Agent.
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
