/** The help of the program, of a noun and of a command, all derived from the declared commands. (Interface 9) */
import type { Command } from './command.js';
import { type Parameter, usageOf } from './parameters.js';
import type { Terminal } from './terminal.js';

export type Commands = Readonly<Record<string, Command>>;

type Program = Terminal['command'];

/** Start and width of the right column: characters. */
const COLUMN = 26;
const WIDTH = 80;

/** @param noun undefined for every noun */
export function helpOfProgram(program: Program, commands: Commands, noun?: string): string {
  const shown = Object.entries(commands).filter(([name]) => noun === undefined || name.startsWith(`${noun} `));
  return [
    `usage: ${program} ${noun ?? 'NOUN'} VERB [options]`,
    '',
    ...shown.map(([name, { summary }]) => row(name, summary)),
    '',
    row('-h, --help', 'show help for a command'),
    ...(noun === undefined
      ? [row('--version', 'print the version and commit of this program, and the version of Node')]
      : []),
    '',
    'Commands use the database of DATABASE_URL. In development the default is the embedded one in DATA_DIR (./data).',
  ].join('\n');
}

/** One command as data: for its help page and for the table in the documents. */
export interface CommandRow {
  name: string;
  summary: string;
  prints: string | undefined;
  /** All words and options, without the name of the program */
  usage: string;
  options: Array<{ option: string; about: string }>;
}

export function commandRow(name: string, { summary, prints, takes }: Command): CommandRow {
  const options = Object.entries(takes).map(([option, parameter]) => ({
    option: namesOf(option, parameter),
    about: aboutOf(parameter),
  }));
  return { name, summary, prints, usage: usageOf(name, takes), options };
}

export function helpOfCommand(program: Program, name: string, command: Command): string {
  const { summary, usage, options } = commandRow(name, command);
  return [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    `usage: ${program} ${usage}`,
    '',
    ...options.map(({ option, about }) => row(option, about)),
    row('-h, --help', 'show this help'),
    ...(command.example === undefined ? [] : ['', `example: ${program} ${command.example}`]),
  ].join('\n');
}

export function usageLine(program: Program, name: string, { takes }: Pick<Command, 'takes'>): string {
  return `usage: ${program} ${usageOf(name, takes)}`;
}

/** The word and the options that set a parameter. */
function namesOf(name: string, { type, options = [name], isWord }: Parameter<unknown>): string {
  const value = isWord || type === undefined ? '' : ` ${type.placeholder}`;
  return [...(isWord && type ? [type.placeholder] : []), ...options.map((option) => `--${option}${value}`)].join(', ');
}

/** The text starts on the next line if the name is too long. */
function row(name: string, about: string): string {
  const indent = `\n${' '.repeat(COLUMN)}`;
  const start = name.length < COLUMN - 3 ? `  ${name}`.padEnd(COLUMN) : `  ${name}${indent}`;
  return start + about.match(LINES)?.join(indent);
}

/** Wraps between words. */
const LINES = new RegExp(`\\S.{0,${WIDTH - 1}}(?!\\S)`, 'g');

/** Lists the choices unless the placeholder already does. */
function aboutOf({ about, type }: Parameter<unknown>): string {
  const { choices = [], placeholder = '' } = type ?? {};
  return placeholder.includes(choices[0] ?? '') ? about : `${about}: ${choices.join(', ')}`;
}
