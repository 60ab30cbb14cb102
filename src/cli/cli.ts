/** CONTRACT 9: `NOUN VERB [options]`. Results go to standard output, messages to standard error. */
import type { Config } from '../config.js';
import { readWords, UsageError } from './arguments.js';
import { auditCommands } from './audit-commands.js';
import type { Command, Result } from './command.js';
import { withContext } from './context.js';
import { EXIT, exitCodeOf, explain } from './exit.js';
import { keyCommands } from './key-commands.js';
import { keyringCommands } from './keyring-commands.js';
import { migrateCommands } from './migrate-commands.js';
import { signCommands } from './sign-command.js';
import { print, say, type Terminal } from './terminal.js';
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
    const words = readWords(args.slice(name.split(' ').length), command.options ?? {}, command.positionals ?? 0);
    const result: Result =
      'plain' in command
        ? await command.plain(words, readConfig, terminal)
        : await withContext(readConfig(), command.migrate ?? true, (context) => command.run(context, words, terminal));
    print(terminal, result, words.flag('json'));
    return EXIT.done;
  } catch (error) {
    say(terminal, explain(error));
    if (error instanceof UsageError) say(terminal, `usage: cli -- ${name} ${command.usage} [--json]`);
    return exitCodeOf(error);
  }
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => `  ${name} ${command.usage}`.trimEnd());
  return ['usage: npm run --silent cli -- NOUN VERB [options] [--json]', ...lines].join('\n');
}
