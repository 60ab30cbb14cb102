/**
 * The command line: `NOUN VERB [options]`. Results and help go to standard output, messages to standard error.
 * (Interface 9)
 */
import { nearest } from '../platform/did-you-mean.js';
import type { Command } from './command.js';
import type { Call } from './context.js';
import { type CommandRow, type Commands, commandRow, helpOfCommand, helpOfProgram, usageLine } from './help.js';
import { UsageError } from './parameter-types.js';
import { printMessage } from './terminal.js';

const loadProgram = async () => (await import('./program-commands.js')).programCommands(everyCommand);
const loadKeys = async () => (await import('./key-commands.js')).keyCommands;

/** Loads the commands that begin with a word. A run loads those of its own word alone. */
const COMMANDS_OF: Readonly<Record<string, () => Promise<Commands>>> = {
  user: async () => (await import('./user-commands.js')).userCommands,
  session: async () => (await import('./session-commands.js')).sessionCommands,
  'rate-limit': async () => (await import('./rate-limit-commands.js')).rateLimitCommands,
  audit: async () => (await import('./audit-commands.js')).auditCommands,
  'api-key': loadKeys,
  'cron-key': loadKeys,
  webhook: async () => (await import('./webhook-commands.js')).webhookCommands,
  keyring: async () => (await import('./keyring-commands.js')).keyringCommands,
  migrate: async () => (await import('./migrate-commands.js')).migrateCommands,
  doctor: async () => (await import('./doctor-command.js')).doctorCommands,
  database: async () => (await import('./database-commands.js')).databaseCommands,
  sign: async () => (await import('./sign-command.js')).signCommands,
  health: async () => (await import('./health-command.js')).healthCommands,
  start: loadProgram,
  version: loadProgram,
  completion: loadProgram,
};

/** In the order of the help */
async function everyCommand(): Promise<Commands> {
  return Object.assign({}, ...(await Promise.all(Object.values(COMMANDS_OF).map((load) => load()))));
}

/** Every command, in the order of the help. */
export async function commandTable(): Promise<CommandRow[]> {
  return Object.entries(await everyCommand()).map(([name, command]) => commandRow(name, command));
}

/** Runs one command, or prints help. @returns the exit code */
export async function runCli(given: string[], call: Call): Promise<number> {
  const args = given[0] === '--version' ? ['version', ...given.slice(1)] : given;
  const [first = ''] = args;
  const load = Object.hasOwn(COMMANDS_OF, first) ? COMMANDS_OF[first] : undefined;
  const commands = await (load ?? everyCommand)();
  const [name, command] = commandOf(commands, args);
  try {
    const help = asksForHelp(commands, args) ? helpFor(commands, args, call.terminal.command) : undefined;
    if (help !== undefined) call.terminal.stdout.write(`${help}\n`);
    else if (command !== undefined) await command.run(args.slice(name.split(' ').length), call);
    else throw new UsageError(unknownCommand(commands, args));
    return 0;
  } catch (thrown) {
    const { exitCodeOf, explain } = await import('./exit.js'); // which knows every error, and loads what throws them
    const error = firstOf(thrown);
    printMessage(call.terminal, explain(error, call.terminal.command));
    if (error instanceof UsageError) printMessage(call.terminal, usageFor(commands, args, call.terminal.command));
    return exitCodeOf(error);
  }
}

/** The first of several errors (SuppressedError): later ones come from closing what was open. */
function firstOf(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? firstOf(error.suppressed) : error;
}

/** Finds the command that the first one or two words name. */
function commandOf(commands: Commands, args: string[]): [name: string, command: Command | undefined] {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((words) => Object.hasOwn(commands, words)) ?? '';
  return [name, commands[name]];
}

function nounsOf(commands: Commands): Set<string> {
  return new Set(Object.keys(commands).flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])));
}

/** A noun without a verb lists its verbs. */
function asksForHelp(commands: Commands, args: string[]): boolean {
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const isShort = args.length === 0 || (args.length === 1 && nounsOf(commands).has(args[0] ?? ''));
  return isShort || args[0] === 'help' || options.includes('-h') || options.includes('--help');
}

/** @throws {UsageError} if the words are neither a command nor a noun */
function helpFor(commands: Commands, args: string[], program: string): string {
  const words = args.filter((word, i) => !word.startsWith('-') && !(i === 0 && word === 'help'));
  const [name, command] = commandOf(commands, words);
  if (command !== undefined) return helpOfCommand(program, name, command);
  const [noun] = words;
  if (words.length > 1 || (noun !== undefined && !nounsOf(commands).has(noun)))
    throw new UsageError(unknownCommand(commands, words));
  return helpOfProgram(program, commands, noun);
}

function unknownCommand(commands: Commands, args: string[]): string {
  const words = args.slice(0, 2).filter((word, i) => i === 0 || !word.startsWith('-'));
  const [first = ''] = words;
  const known = [...Object.keys(commands), 'help'];
  const nouns = nounsOf(commands);
  const meant =
    nearest(words.join(' '), known) ?? (nouns.has(first) ? undefined : nearest(first, [...known, ...nouns]));
  return `unknown command: ${words.join(' ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function usageFor(commands: Commands, args: string[], program: string): string {
  const [name, command] = commandOf(commands, args);
  if (command !== undefined) return usageLine(program, name, command);
  const [noun = ''] = args;
  return nounsOf(commands).has(noun)
    ? `usage: ${program} ${noun} VERB [options]; list verbs with ${program} ${noun} --help`
    : `usage: ${program} NOUN VERB [options]; list commands with ${program} --help`;
}
