/** A command, declared once: its words, what it runs on, and what it does. */
import type { ParseArgsConfig } from 'node:util';
import { createCleanUp } from '../platform/clean-up.js';
import { readWords, type Words } from './arguments.js';
import { type Call, type Contexts, openContext } from './context.js';
import { type Printable, print } from './terminal.js';

interface Declaration<On extends keyof Contexts> {
  on: On;
  /** False for a command that leaves the schema as it finds it. */
  migrates?: false;
  /** What follows the command's name, for the usage text. */
  usage: string;
  options?: NonNullable<ParseArgsConfig['options']>;
  positionals?: number;
  run(context: Contexts[On], words: Words): Promise<Printable | Printable[]>;
}

/** A command among others. */
export interface Command {
  usage: string;
  /** Runs it, and prints its result. @throws {UsageError} */
  run(args: string[], call: Call): Promise<void>;
}

export function command<On extends keyof Contexts>(declared: Declaration<On>): Command {
  const { on, migrates = true, usage, options = {}, positionals = 0 } = declared;
  return {
    usage,
    run: async (args, call) => {
      const words = readWords(args, options, positionals);
      const cleanUp = createCleanUp();
      const opened = openContext[on]({ ...call, migrates }, cleanUp);
      const result = await opened.then((context) => declared.run(context, words)).finally(cleanUp.run);
      print(call.terminal, result, words.flag('json'));
    },
  };
}
