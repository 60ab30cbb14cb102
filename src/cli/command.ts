/** A command, declared once: what it is for, what it takes, what it runs on, and what it does. */
import { createCleanUp } from '../platform/clean-up.js';
import { type Call, type Contexts, openContext } from './context.js';
import { refuse } from './kinds.js';
import { flag, readValues, type Takes, type Values } from './parameters.js';
import { confirm, type Printable, print } from './terminal.js';

/** A command among others. */
export interface Command {
  /** One sentence for the help */
  does: string;
  /** Its words, as somebody might type them */
  example?: string;
  takes: Takes;
  /** Runs it, and prints its result. @throws {UsageError} */
  run(args: string[], call: Call): Promise<void>;
}

/** What every command takes */
export const COMMON = { json: flag('print one JSON value, for programs') };
const YES = { yes: flag('do not ask') };

export function command<On extends keyof Contexts, T extends Takes = Record<never, never>>(declared: {
  does: string;
  example?: string;
  on: On;
  takes?: T;
  /** What of it cannot be undone: a sentence; undefined where all can. It is asked about, or `--yes` is given. */
  destroys?(values: Values<T>): string | undefined;
  /** @returns undefined where it has printed by itself */
  run(context: Contexts[On], values: Values<T> & Values<typeof COMMON>): Promise<Printable | Printable[] | undefined>;
}): Command {
  const { on, takes: own, destroys, run, ...told } = declared;
  const takes = { ...(own as T), ...(destroys && YES), ...COMMON };
  return {
    ...told,
    takes,
    run: async (args, call) => {
      const { terminal } = call;
      const values = readValues(args, takes);
      const loss = 'yes' in values && values.yes === true ? undefined : destroys?.(values);
      if (loss !== undefined && !terminal.stdin.isTTY) refuse(`${loss}; add --yes to go on without being asked`);
      const cleanUp = createCleanUp();
      const opened = openContext[on](call, cleanUp);
      const done = opened.then(async (context) => {
        if (loss !== undefined) await confirm(terminal, loss);
        return run(context, values);
      });
      const result = await done.finally(cleanUp.run);
      if (result !== undefined) print(terminal, result, values.json);
    },
  };
}
