/** CONTRACT 7: how much of what asks the database runs at once, of one caller and of all. */
import { GraphQLError } from 'graphql';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Caller } from '../callers/caller.js';
import { headerOf } from './errors.js';

/** Fields of one caller that read or change something at once; further ones wait. */
const OF_A_CALLER = 2;
/** Fields of one caller that may wait: some operations with as many aliases as are allowed. */
const MAX_WAITING = 100;
/** Counts of the audit log at once, of all callers: half of the connections of administration. */
const COUNTS_OF_ALL = 2;

export interface Turns {
  /** Runs the work when it is this caller's turn. @throws {GraphQLError} RATE_LIMITED where too much of it waits */
  ofCaller<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
  /** Runs a count of the audit log when it is its turn. */
  ofCounts<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const callers = new Map<string, LimitFunction>();
  return {
    ofCaller: async (caller, work) => {
      const id = caller.callerType === 'user' ? caller.sub : caller.keyId;
      const turns = callers.get(id) ?? pLimit(OF_A_CALLER);
      if (turns.pendingCount >= MAX_WAITING) throw tooManyAtOnce();
      callers.set(id, turns);
      try {
        return await turns(work);
      } finally {
        if (turns.activeCount + turns.pendingCount === 0) callers.delete(id);
      }
    },
    ofCounts: pLimit(COUNTS_OF_ALL),
  };
}

function tooManyAtOnce(): GraphQLError {
  return new GraphQLError('Too many operations of this caller at once, try again later', {
    extensions: { code: 'RATE_LIMITED', http: { status: 429, headers: headerOf('retry-after', '1') } },
  });
}
