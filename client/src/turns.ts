/** Runs one task at a time: always within this tab, and among tabs if the browser has Web Locks. */
import { atMost, type Environment } from './environment.js';

/** How long to wait for another tab; requests under the lock take less. */
export const LOCK_MS = 15_000;

export type TakeTurn = <T>(run: () => Promise<T>) => Promise<T>;

/** A task runs without a lock that is not granted in time, since its holder may hang. Locks are never stolen. */
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
    // If the lock is not granted in time, or forbidden, the task runs without it. It runs only once.
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
