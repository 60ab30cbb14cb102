/** A command, declared once: what it takes, what it runs on, and what it does. */
import { createCleanUp } from '../platform/clean-up.js';
import { type Call, type Contexts, openContext } from './context.js';
import { readValues, type Takes, type Values } from './parameters.js';
import { type Printable, print } from './terminal.js';

/** A command among others. */
export interface Command {
  takes: Takes;
  /** Runs it, and prints its result. @throws {UsageError} */
  run(args: string[], call: Call): Promise<void>;
}

export function command<On extends keyof Contexts, T extends Takes = Record<never, never>>(declared: {
  on: On;
  /** False for a command that leaves the schema as it finds it */
  migrates?: false;
  takes?: T;
  run(context: Contexts[On], values: Values<T>): Promise<Printable | Printable[]>;
}): Command {
  const { on, migrates = true, takes = {}, run } = declared;
  return {
    takes,
    run: async (args, call) => {
      const values = readValues<T>(args, declared.takes);
      const cleanUp = createCleanUp();
      const opened = openContext[on]({ ...call, migrates }, cleanUp);
      const result = await opened.then((context) => run(context, values)).finally(cleanUp.run);
      print(call.terminal, result, values.json);
    },
  };
}
