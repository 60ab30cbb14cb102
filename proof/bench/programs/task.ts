/** What the programs of the bench are told, each a process of its own on its own core, and what they tell. */
import type { Counted, Edge } from '../closed-loop.js';

/** Beside the edges of the time that is counted */
export type Told<Result = unknown> =
  | { kind: 'ready'; port?: number }
  | { kind: Edge }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; why: string };

/** Does each task that it is told, one after the other, until the other side has gone. */
export function doTasks<Task, Result = Counted>(
  work: (task: Task, tell: (edge: Edge) => void) => Promise<Result>,
  port?: number,
): void {
  const tell = (told: Told<Result>): void => void process.send?.(told);
  process.on('disconnect', () => process.exit());
  process.on('message', (task: Task) => {
    work(task, (kind) => tell({ kind })).then(
      (result) => tell({ kind: 'done', result }),
      (error: unknown) => tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
    );
  });
  tell({ kind: 'ready', ...(port !== undefined && { port }) });
}
