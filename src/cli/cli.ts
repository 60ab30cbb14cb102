/** CONTRACT 9: `NOUN VERB [options]`. Results go to standard output, messages to standard error. */
import { AdminRefusal } from '../admin/refusal.js';
import { type Config, ConfigError } from '../config.js';
import { KeyringError } from '../credentials/keyring.js';
import { DatabaseTooOld } from '../db/database.js';
import { EmbeddedPostgresError } from '../db/embedded/open.js';
import { isOutage } from '../db/outage.js';
import { describeError } from '../platform/logger.js';
import { readWords, UsageError } from './arguments.js';
import { auditCommands } from './audit-commands.js';
import type { Command, Result } from './command.js';
import { withContext } from './context.js';
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

export const EXIT = { done: 0, refused: 1, usage: 2, config: 78 } as const;

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
    if (error instanceof UsageError) {
      say(terminal, `${error.message}\nusage: cli -- ${name} ${command.usage} [--json]`);
      return EXIT.usage;
    }
    say(terminal, explain(error));
    return error instanceof ConfigError ? EXIT.config : EXIT.refused;
  }
}

/** One line or more for a person about an error that ends the program; the text of an unexpected one is not shown. */
export function explain(error: unknown): string {
  const known = [AdminRefusal, ConfigError, DatabaseTooOld, EmbeddedPostgresError, KeyringError];
  if (error instanceof Error && known.some((kind) => error instanceof kind)) return error.message;
  const { name, code = name, at = [] } = describeError(error);
  if (code === 'ABORT_ERR') return 'cancelled';
  const call = systemCallOf(error);
  if (code === 'EEXIST' && call?.startsWith('link')) return 'the file exists already and is left as it is';
  if (call !== undefined) return `cannot ${call} (${code})`;
  if (/^(28|3D)...$/.test(code)) return `the database refuses the connection (${code}): look at DATABASE_URL`;
  if (isOutage(error)) return `the database cannot be reached (${code})`;
  return [`unexpected error: ${code}`, ...at].join('\n  ');
}

/** What the system refused, such as `listen 127.0.0.1:3000` or `mkdir /data`; undefined for a connection. */
function systemCallOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall === 'connect') return undefined;
  const { syscall, path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall === 'getaddrinfo') return undefined;
  return `${syscall} ${path ?? (address === undefined ? '' : `${address}:${port}`)}`.trim();
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, command]) => `  ${name} ${command.usage}`.trimEnd());
  return ['usage: npm run --silent cli -- NOUN VERB [options] [--json]', ...lines].join('\n');
}
