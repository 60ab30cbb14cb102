/** Interface 9: `NOUN VERB [options]`. Results and help go to standard output, messages to standard error. */
import { nearest } from '../platform/did-you-mean.js';
import { auditCommands } from './audit-commands.js';
import type { Command } from './command.js';
import type { Call } from './context.js';
import { databaseCommands } from './database-commands.js';
import { doctorCommands } from './doctor-command.js';
import { EXIT, exitCodeOf, explain } from './exit.js';
import { healthCommands } from './health-command.js';
import { type CommandRow, type Commands, commandRow, helpOfCommand, helpOfProgram, usageLine } from './help.js';
import { keyCommands } from './key-commands.js';
import { keyringCommands } from './keyring-commands.js';
import { migrateCommands } from './migrate-commands.js';
import { UsageError } from './parameter-types.js';
import { programCommands } from './program-commands.js';
import { rateLimitCommands } from './rate-limit-commands.js';
import { sessionCommands } from './session-commands.js';
import { signCommands } from './sign-command.js';
import { printMessage } from './terminal.js';
import { userCommands } from './user-commands.js';
import { webhookCommands } from './webhook-commands.js';

const COMMANDS: Commands = {
  ...userCommands,
  ...sessionCommands,
  ...rateLimitCommands,
  ...auditCommands,
  ...keyCommands,
  ...webhookCommands,
  ...keyringCommands,
  ...migrateCommands,
  ...doctorCommands,
  ...databaseCommands,
  ...signCommands,
  ...healthCommands,
  ...programCommands(() => COMMANDS),
};
const NOUNS = new Set(Object.keys(COMMANDS).flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])));

/** Every command, in the order of the help. */
export function commandTable(): CommandRow[] {
  return Object.entries(COMMANDS).map(([name, command]) => commandRow(name, command));
}

/** Runs one command, or prints help. @returns the exit code */
export async function runCli(args: string[], call: Call): Promise<number> {
  const [name, command] = commandOf(args);
  try {
    const help = asksForHelp(args) ? helpFor(args, call.terminal.command) : undefined;
    if (help !== undefined) call.terminal.stdout.write(`${help}\n`);
    else if (args[0] === '--version') await COMMANDS['version']?.run(args.slice(1), call);
    else if (command !== undefined) await command.run(args.slice(name.split(' ').length), call);
    else throw new UsageError(unknownCommand(args));
    return EXIT.done;
  } catch (thrown) {
    const error = firstOf(thrown);
    printMessage(call.terminal, explain(error, call.terminal.command));
    if (error instanceof UsageError) printMessage(call.terminal, usageFor(args, call.terminal.command));
    return exitCodeOf(error);
  }
}

/** The first of several errors (SuppressedError): later ones come from closing what was open. */
function firstOf(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? firstOf(error.suppressed) : error;
}

/** Finds the command that the first one or two words name. */
function commandOf(args: string[]): [name: string, command: Command | undefined] {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((words) => Object.hasOwn(COMMANDS, words)) ?? '';
  return [name, COMMANDS[name]];
}

/** A noun without a verb lists its verbs. */
function asksForHelp(args: string[]): boolean {
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const isShort = args.length === 0 || (args.length === 1 && NOUNS.has(args[0] ?? ''));
  return isShort || args[0] === 'help' || options.includes('-h') || options.includes('--help');
}

/** @throws {UsageError} if the words are neither a command nor a noun */
function helpFor(args: string[], program: string): string {
  const words = args.filter((word, i) => !word.startsWith('-') && !(i === 0 && word === 'help'));
  const [name, command] = commandOf(words);
  if (command !== undefined) return helpOfCommand(program, name, command);
  const [noun] = words;
  if (words.length > 1 || (noun !== undefined && !NOUNS.has(noun))) throw new UsageError(unknownCommand(words));
  return helpOfProgram(program, COMMANDS, noun);
}

function unknownCommand(args: string[]): string {
  const words = args.slice(0, 2).filter((word, i) => i === 0 || !word.startsWith('-'));
  const [first = ''] = words;
  const known = [...Object.keys(COMMANDS), 'help'];
  const meant =
    nearest(words.join(' '), known) ?? (NOUNS.has(first) ? undefined : nearest(first, [...known, ...NOUNS]));
  return `unknown command: ${words.join(' ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function usageFor(args: string[], program: string): string {
  const [name, command] = commandOf(args);
  if (command !== undefined) return usageLine(program, name, command);
  const [noun = ''] = args;
  return NOUNS.has(noun)
    ? `usage: ${program} ${noun} VERB [options]; list verbs with ${program} ${noun} --help`
    : `usage: ${program} NOUN VERB [options]; list commands with ${program} --help`;
}
