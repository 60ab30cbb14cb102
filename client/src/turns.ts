/** One at a time: in this tab always, among tabs where the browser has Web Locks. */
import { atMost, type Environment } from './environment.js';

/** How long another tab is waited for; what is asked of the gateway under the lock takes less. */
export const LOCK_MS = 15_000;

export type TakeTurn = <T>(run: () => Promise<T>) => Promise<T>;

/** A lock that is not given within its time is gone without, and never stolen: its holder may have hung. */
export function createTurns(name: string, environment: Environment): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();

  const amongTabs = async <T>(run: () => Promise<T>): Promise<T> => {
    let running: Promise<T> | undefined;
    const begin = (): Promise<T> => {
      running ??= run();
      return running;
    };
    const wait = new AbortController();
    const asked = async (): Promise<unknown> => environment.locks?.request(name, { signal: wait.signal }, begin);
    // Not given in time, or forbidden to this page: gone without. Whichever comes first, it is done once.
    await atMost(
      LOCK_MS,
      asked().catch(() => undefined),
      environment,
    );
    wait.abort();
    return begin();
  };

  return (run) => {
    const turn = last.then(() => amongTabs(run));
    last = turn.catch(() => undefined);
    return turn;
  };
}
