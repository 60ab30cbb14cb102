/** The form of a command; `cli.ts` lists them. */
import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../config.js';
import type { Words } from './arguments.js';
import type { CliContext } from './context.js';
import type { Printable, Terminal } from './terminal.js';

export type Result = Printable | Printable[];

interface Form {
  /** What follows the command's name, for the usage text. */
  usage: string;
  options?: NonNullable<ParseArgsConfig['options']>;
  positionals?: number;
}

/** Runs on the database, migrated unless `migrate` is false. */
export interface DatabaseCommand extends Form {
  migrate?: false;
  run(context: CliContext, words: Words, terminal: Terminal): Promise<Result>;
}

/** Needs no database. */
export interface PlainCommand extends Form {
  plain(words: Words, readConfig: () => Config, terminal: Terminal): Promise<Result>;
}

export type Command = DatabaseCommand | PlainCommand;
