/** The threads of libuv's pool, on which passwords are hashed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** The name that libuv gives them */
const POOL_THREAD = 'libuv-worker\n';
/** When both want the same core, such a thread gets a tenth of what the main thread gets (sched(7)). */
const NICER_BY = 10;
const NICEST = 19;

/**
 * Gives them a lower priority than the main thread, which answers every request: a hash takes tens of milliseconds of a
 * core. Threads that start later are not included; the pool starts all of its threads with the first hash.
 */
export function lowerPoolThreads(): void {
  const nice = Math.min(getPriority() + NICER_BY, NICEST);
  for (const id of existsSync(TASKS) ? readdirSync(TASKS) : []) {
    if (readFileSync(`${TASKS}/${id}/comm`, 'utf8') === POOL_THREAD) setPriority(Number(id), nice);
  }
}
