/** Interface 7: limits on concurrent database work, of one caller and of all. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Caller } from '../callers/caller.js';
import { kindOf } from '../callers/kinds.js';
import { errorOf, status } from './errors.js';

/** Fields of one caller that read, or that change something, at once; further ones wait. */
const OF_A_CALLER = 2;
/** Fields of one caller that may wait: enough for several operations with the maximum number of aliases. */
const MAX_WAITING = 100;
/** Counts and timelines at once, of all callers: half of the connections for administration. */
const MUCH_OF_ALL = 2;

export interface Turns {
  /**
   * Runs the work when it is this caller's turn. Changes do not wait for reads.
   * @param isGone true if the client has disconnected; then the work does not run
   * @throws {GraphQLError} RATE_LIMITED if too many fields of the caller are waiting
   */
  ofCaller<T>(caller: Caller, kind: 'reads' | 'changes', isGone: () => boolean, work: () => Promise<T>): Promise<T>;
  /** Runs an expensive read, such as counts of the audit log or a timeline, when it is its turn. */
  ofMuch<T>(isGone: () => boolean, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const callers = new Map<string, LimitFunction>();
  const much = pLimit(MUCH_OF_ALL);
  return {
    ofCaller: async (caller, kind, isGone, work) => {
      const id = `${kind} ${kindOf(caller).id(caller)}`;
      const turns = callers.get(id) ?? pLimit(OF_A_CALLER);
      if (turns.pendingCount >= MAX_WAITING) {
        const message = 'This caller has too many operations at once; try again later';
        throw errorOf('too_many_waiting', message, status(429, ['retry-after', '1']));
      }
      callers.set(id, turns);
      try {
        return await turns(unlessGone(isGone, work));
      } finally {
        const isIdle = turns.activeCount + turns.pendingCount === 0;
        if (isIdle && callers.get(id) === turns) callers.delete(id);
      }
    },
    ofMuch: (isGone, work) => much(unlessGone(isGone, work)),
  };
}

/** Skips the work if the client disconnected while it waited, since nobody would read the result. */
function unlessGone<T>(isGone: () => boolean, work: () => Promise<T>): () => Promise<T> {
  return () => {
    if (isGone()) throw errorOf('client_gone', 'The client has disconnected');
    return work();
  };
}
