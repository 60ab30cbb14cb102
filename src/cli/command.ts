/** A command, declared once: its summary, its parameters, the resources that it opens, and its work. */
import { type Call, type Contexts, openContext } from './context.js';
import { rejectUsage } from './parameter-types.js';
import { flag, readValues, type Takes, type Values } from './parameters.js';
import { confirm, type Printable, print } from './terminal.js';

export interface Command {
  /** One line for the help: imperative, without a capital and a full stop */
  summary: string;
  /** Words and options as an operator would type them */
  example?: string;
  /** What `--json` prints, in Markdown, as Interface 9 has it; undefined if there is no such option */
  prints?: string;
  takes: Takes;
  /** Runs the command and prints its result. @throws {UsageError} */
  run(args: string[], call: Call): Promise<void>;
}

/** Options of every command */
export const COMMON = { json: flag('print one JSON value') };
const YES = { yes: flag('skip the confirmation') };

export function command<On extends keyof Contexts, T extends Takes = Record<never, never>>(declared: {
  summary: string;
  example?: string;
  prints: string;
  on: On;
  takes?: T;
  /** A sentence about the irreversible effect, which is confirmed on the terminal or by `--yes`; undefined if there is none. */
  destroys?(values: Values<T>): string | undefined;
  /** @returns undefined if it has printed its result itself */
  run(context: Contexts[On], values: Values<T> & Values<typeof COMMON>): Promise<Printable | Printable[] | undefined>;
}): Command {
  const { on, takes: own, destroys, run, ...described } = declared;
  const takes = { ...(own as T), ...(destroys && YES), ...COMMON };
  return {
    ...described,
    takes,
    run: async (args, call) => {
      const { terminal } = call;
      const values = readValues(args, takes);
      const loss = 'yes' in values && values.yes === true ? undefined : destroys?.(values);
      if (loss !== undefined && !terminal.stdin.isTTY) rejectUsage(`${loss}; add --yes to confirm`);
      const runOpened = async () => {
        await using cleanUp = new AsyncDisposableStack();
        const context = await openContext[on](call, cleanUp);
        if (loss !== undefined) await confirm(terminal, loss);
        return await run(context, values);
      };
      const result = await runOpened();
      if (result !== undefined) print(terminal, result, values.json);
    },
  };
}
