/** What PostgreSQL has undone in favour of others is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Budget } from '../platform/budget.js';
import { isUndone } from './outage.js';

const TRIES = 4;
/** Longest pause before the second try, so that those who met do not meet again; it grows with each: milliseconds. */
const PAUSE_MS = 30;

/**
 * Does the work again, up to three times, where PostgreSQL has undone all of it: a deadlock, or a serialization failure.
 * @param work a statement by itself, or a whole transaction
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
