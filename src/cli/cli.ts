/** CONTRACT 9: `NOUN VERB [options]`. Results go to standard output, messages to standard error. */
import type { Config } from '../config.js';
import { auditCommands } from './audit-commands.js';
import type { Command } from './command.js';
import { EXIT, exitCodeOf, explain } from './exit.js';
import { keyCommands } from './key-commands.js';
import { keyringCommands } from './keyring-commands.js';
import { migrateCommands } from './migrate-commands.js';
import { UsageError, usageOf } from './parameters.js';
import { signCommands } from './sign-command.js';
import { say, type Terminal } from './terminal.js';
import { userCommands } from './user-commands.js';

const COMMANDS: Record<string, Command> = {
  ...userCommands,
  ...keyCommands,
  ...keyringCommands,
  ...migrateCommands,
  ...auditCommands,
  ...signCommands,
};

/** Runs one command. @returns the exit code */
export async function runCli(args: string[], readConfig: () => Config, terminal: Terminal): Promise<number> {
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((words) => Object.hasOwn(COMMANDS, words)) ?? '';
  const command = COMMANDS[name];
  if (command === undefined) {
    say(terminal, usage());
    return args.includes('--help') ? EXIT.done : EXIT.usage;
  }
  try {
    await command.run(args.slice(name.split(' ').length), { readConfig, terminal });
    return EXIT.done;
  } catch (error) {
    say(terminal, explain(error));
    if (error instanceof UsageError) say(terminal, `usage: cli -- ${usageOf(name, command.takes)} [--json]`);
    return exitCodeOf(error);
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, { takes }]) => `  ${usageOf(name, takes)}`);
  return ['usage: npm run --silent cli -- NOUN VERB [options] [--json]', ...lines].join('\n');
}
