/** Retries work that PostgreSQL has rolled back in favour of other transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Budget } from '../platform/budget.js';
import { isUndone } from './outage.js';

const TRIES = 4;
/** Longest pause in front of the second try, random so that the same transactions do not collide again. It grows. */
const PAUSE_MS = 30;

/**
 * Retries up to three times after a deadlock or a serialization failure, which undo all of the work.
 * @param work a single statement or a whole transaction
 */
export async function again<T>(budget: Budget, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isUndone(error) || tries === TRIES) throw error;
    }
    await budget.spend(() => sleep((0.3 + 0.7 * Math.random()) * PAUSE_MS * tries));
  }
}
