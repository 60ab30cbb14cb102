/** Interface 9: what `--help` prints: of the program, of a noun, of a command. All of it follows from the commands. */
import type { Command } from './command.js';
import { type Parameter, usageOf } from './parameters.js';
import type { Terminal } from './terminal.js';

export type Commands = Readonly<Record<string, Command>>;

/** What is typed before the words */
type Program = Terminal['command'];

/** Where the right column begins, and how wide it is: characters. */
const COLUMN = 26;
const WIDTH = 80;

/** @param noun undefined: of every noun */
export function helpOfProgram(program: Program, commands: Commands, noun?: string): string {
  const shown = Object.entries(commands).filter(([name]) => noun === undefined || name.startsWith(`${noun} `));
  return [
    `usage: ${program} ${noun ?? 'NOUN'} VERB [options]`,
    '',
    ...shown.map(([name, { does }]) => row(name, does)),
    '',
    row('-h, --help', 'behind a command: what it takes'),
    ...(noun === undefined ? [row('--version', 'of this program, and of the Node that it runs on')] : []),
    '',
    'The database is that of DATABASE_URL, else in development the embedded one in DATA_DIR, or ./data.',
  ].join('\n');
}

/** One command as data: for its help page and for the table in the documents. */
export interface CommandRow {
  name: string;
  summary: string;
  /** All words and options, without the name of the program */
  usage: string;
  options: Array<{ option: string; about: string }>;
}

export function commandRow(name: string, { does, takes }: Command): CommandRow {
  const options = Object.entries(takes).map(([option, parameter]) => ({
    option: waysOf(option, parameter),
    about: aboutOf(parameter),
  }));
  return { name, summary: does, usage: usageOf(name, takes), options };
}

export function helpOfCommand(program: Program, name: string, command: Command): string {
  const { summary, usage, options } = commandRow(name, command);
  return [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    `usage: ${program} ${usage}`,
    '',
    ...options.map(({ option, about }) => row(option, about)),
    row('-h, --help', 'print this'),
    ...(command.example === undefined ? [] : ['', `example: ${program} ${command.example}`]),
  ].join('\n');
}

export function usageLine(program: Program, name: string, { takes }: Pick<Command, 'takes'>): string {
  return `usage: ${program} ${usageOf(name, takes)}`;
}

/** Every way to give it. */
function waysOf(name: string, { kind, options = [name], isWord }: Parameter<unknown>): string {
  const value = isWord || kind === undefined ? '' : ` ${kind.placeholder}`;
  return [...(isWord && kind ? [kind.placeholder] : []), ...options.map((option) => `--${option}${value}`)].join(', ');
}

/** What does not fit beside a long name goes below it. */
function row(name: string, about: string): string {
  const indent = `\n${' '.repeat(COLUMN)}`;
  const start = name.length < COLUMN - 3 ? `  ${name}`.padEnd(COLUMN) : `  ${name}${indent}`;
  return start + about.match(LINES)?.join(indent);
}

/** Cut between words. */
const LINES = new RegExp(`\\S.{0,${WIDTH - 1}}(?!\\S)`, 'g');

/** The texts that it may be, where the placeholder does not say them. */
function aboutOf({ about, kind }: Parameter<unknown>): string {
  const { choices = [], placeholder = '' } = kind ?? {};
  return placeholder.includes(choices[0] ?? '') ? about : `${about}: ${choices.join(', ')}`;
}
