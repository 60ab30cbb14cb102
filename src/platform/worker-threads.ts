/** The threads of libuv's pool, on which passwords are hashed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** As libuv names them */
const WORKER = 'libuv-worker\n';
/** Where both want the same core, such a thread has a tenth of what the main thread has (sched(7)). */
const NICER_BY = 10;
const NICEST = 19;

/**
 * Puts them behind the main thread, which answers everybody else: a hash takes tens of milliseconds of a core. Threads
 * that begin later are not among them; the pool begins all of its threads with the first hash.
 */
export function putWorkersBehind(): void {
  const nice = Math.min(getPriority() + NICER_BY, NICEST);
  for (const id of existsSync(TASKS) ? readdirSync(TASKS) : []) {
    if (readFileSync(`${TASKS}/${id}/comm`, 'utf8') === WORKER) setPriority(Number(id), nice);
  }
}
