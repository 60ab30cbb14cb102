/** Waits for what another process does in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

const GIVE_UP_MS = 240_000;

/**
 * Looks again and again until `isSo`; how long that takes does not matter.
 * @throws {Error} that names `what` after four minutes, when it will not happen any more
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + GIVE_UP_MS;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`four minutes passed without this: ${what}`);
    await sleep(20);
  }
}
