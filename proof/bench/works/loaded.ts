/** One slice of a server under load. */
import type { LoadResult, LoadTask } from '../programs/load.js';
import type { Runner } from '../runner.js';
import type { Stage } from '../stage.js';
import { costOf, type Row } from '../work.js';

/**
 * @param pid of the server
 * @param giveBack takes the live tokens of a load that rotates
 */
export function loaded(
  { postgres, load }: Pick<Stage, 'postgres'> & { load: Runner<LoadTask, LoadResult> },
  pid: number,
  task: LoadTask,
  giveBack: (tokens: string[]) => void = () => undefined,
): Promise<Omit<Row, 'what'>> {
  return costOf({ postgres }, pid, async (onEdge) => {
    const { tokens, ...counted } = await load.run(task, onEdge);
    if (tokens !== undefined) giveBack(tokens);
    return counted;
  });
}
