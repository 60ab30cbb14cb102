/** The tasks of the programs of the bench, each a process on its own core, and their messages. */
import type { Counted, Edge } from '../closed-loop.js';

/** Next to the edges of the time that is counted */
export type Message<Result = unknown> =
  | { kind: 'ready'; port?: number }
  | { kind: Edge }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; why: string };

/** Does the tasks that it receives, one after the other, until the other side has gone. */
export function doTasks<Task, Result = Counted>(
  work: (task: Task, send: (edge: Edge) => void) => Promise<Result>,
  port?: number,
): void {
  const send = (message: Message<Result>): void => void process.send?.(message);
  process.on('disconnect', () => process.exit());
  process.on('message', (task: Task) => {
    work(task, (kind) => send({ kind })).then(
      (result) => send({ kind: 'done', result }),
      (error: unknown) => send({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
    );
  });
  send({ kind: 'ready', ...(port !== undefined && { port }) });
}
