/** Limits on concurrent database work, of one caller and of all. (Interface 7) */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Caller } from '../callers/caller.js';
import { kindOf } from '../callers/kinds.js';
import { isOutage } from '../db/outage.js';
import { type Budget, NO_BUDGET, TimeSpent } from '../platform/budget.js';
import { errorOf, status } from './errors.js';

/** Fields of one caller that read, or that change something, at once; further ones wait. */
export const OF_A_CALLER = 2;
/** Fields of one caller that may wait: enough for several operations with the maximum number of aliases. */
export const MAX_WAITING = 100;
/** Counts and timelines at once, of all callers: half of the connections for administration. */
export const MUCH_OF_ALL = 2;

/** For whom work is done, as resolvers know it. */
export interface Waiting {
  caller: Caller;
  concurrency: Concurrency;
  /** Whether the client has disconnected, so that nobody would read the answer */
  isGone(): boolean;
}

export interface Concurrency {
  /** The same limits for one request. Waiting uses up its time, since the database is busy with others. */
  within(budget: Budget): Concurrency;
  /**
   * Runs the work within the limit of this caller. Changes do not wait for reads.
   * @param isGone true if the client has disconnected; then the work does not run
   * @throws {GraphQLError} RATE_LIMITED if too many fields of the caller are waiting, or this one has waited for too long
   */
  ofCaller<T>(caller: Caller, kind: 'reads' | 'changes', isGone: () => boolean, work: () => Promise<T>): Promise<T>;
  /**
   * Runs an expensive read, such as counts of the audit log or a timeline, within the limit of all callers.
   * @throws {GraphQLError} RATE_LIMITED if it has waited for too long
   */
  ofMuch<T>(isGone: () => boolean, work: () => Promise<T>): Promise<T>;
}

interface Queue {
  run: LimitFunction;
  /** Fields that run or wait */
  size: number;
  /** Fields that the database has answered so far */
  answered: number;
  /** The message of a refusal */
  fault: string;
}

const queueOf = (atOnce: number, fault: string): Queue => ({ run: pLimit(atOnce), size: 0, answered: 0, fault });

export function createConcurrency(): Concurrency {
  const callers = new Map<string, Queue>();
  const much = queueOf(MUCH_OF_ALL, 'Too many counts and timelines are being read at once; try again later');
  const within = (budget: Budget): Concurrency => ({
    within,
    ofCaller: (caller, kind, isGone, work) => {
      const id = `${kind} ${kindOf(caller).id(caller)}`;
      const queue =
        callers.get(id) ?? queueOf(OF_A_CALLER, 'This caller has too many operations at once; try again later');
      if (queue.run.pendingCount >= MAX_WAITING) return Promise.reject(tooMany(queue));
      callers.set(id, queue);
      return limited(queue, budget, isGone, work, () => {
        if (queue.size === 0) callers.delete(id);
      });
    },
    ofMuch: (isGone, work) => limited(much, budget, isGone, work),
  });
  return within(NO_BUDGET);
}

function tooMany({ fault }: Queue) {
  return errorOf('too_many_waiting', fault, status(429, ['retry-after', '1']));
}

/**
 * If the time of the request is up, although the database has answered others of the queue meanwhile, the queue is too long
 * and nothing is out of order: 429. If it has answered none, it is an outage.
 */
async function limited<T>(
  queue: Queue,
  budget: Budget,
  isGone: () => boolean,
  work: () => Promise<T>,
  ended?: () => void,
): Promise<T> {
  const { answered, size } = queue;
  const hasWaited = size >= queue.run.concurrency;
  const begun = Promise.withResolvers<void>();
  let isLate = false;
  const begin = async (): Promise<T> => {
    // Nobody would read the result.
    if (isGone()) throw errorOf('client_gone', 'The client has disconnected');
    if (isLate) throw tooMany(queue);
    begun.resolve();
    try {
      const result = await work();
      queue.answered += 1;
      return result;
    } catch (error) {
      if (!isOutage(error) && !isTimeUp(error)) queue.answered += 1;
      throw error;
    }
  };
  queue.size += 1;
  const done = queue.run(begin).finally(() => {
    queue.size -= 1;
    ended?.();
  });
  try {
    await budget.await(Promise.race([begun.promise, done]));
    return await done;
  } catch (error) {
    isLate = true;
    done.catch(() => undefined);
    const isLateForItself = hasWaited && queue.answered > answered && isTimeUp(error);
    throw isLateForItself ? tooMany(queue) : error;
  }
}

/** Also of a listing, which takes it for too much to read */
function isTimeUp(error: unknown): boolean {
  return error instanceof TimeSpent || (error instanceof Error && error.cause instanceof TimeSpent);
}
