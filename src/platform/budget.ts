/** The time that one request may wait for all its stores together. After that it is answered 503. (Interface 5) */
import { Outage } from './outage.js';

/** Milliseconds. The answer is due after 5 s, so a busy machine has one more second. */
export const REQUEST_BUDGET_MS = 4_000;

/**
 * Created once a request and passed on. Only waiting for a store counts, and parallel waits count once; the time of the
 * client to send its body, or of a computation, does not.
 */
export interface Budget {
  /** @throws {TimeSpent} if nothing is left */
  check(): void;
  /** Starts counting. @returns stops it; further calls do nothing */
  wait(): () => void;
  /**
   * Counts during the work. Work that takes too long is not cancelled: it must `check` before irreversible steps.
   * @throws {TimeSpent} if nothing is left, or the work takes longer
   */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /** Counts until the turn comes, which is no answer of a store. @throws {TimeSpent} if it comes too late */
  await<T>(turn: Promise<T>): Promise<T>;
}

/** The request has used up its budget. */
export class TimeSpent extends Outage {
  override readonly name = 'TimeSpent';

  /** @param hasAnswers whether a store has answered this request, even slowly */
  constructor(readonly hasAnswers: boolean) {
    super('the request has waited for its stores as long as it may');
  }
}

export function createBudget(totalMs = REQUEST_BUDGET_MS): Budget {
  let spentMs = 0; // before `since`
  let since = 0;
  let waits = 0;
  let hasAnswers = false;
  const leftMs = (): number => totalMs - spentMs - (waits > 0 ? performance.now() - since : 0);
  const inTime = async <T>(awaited: Promise<T>): Promise<T> => {
    const ended = budget.wait();
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        spentMs = totalMs; // timers can fire a little early
        reject(new TimeSpent(hasAnswers));
      }, leftMs());
    });
    try {
      return await Promise.race([awaited, timeUp]);
    } finally {
      clearTimeout(timer);
      ended();
    }
  };
  const budget: Budget = {
    check: () => {
      if (leftMs() <= 0) throw new TimeSpent(hasAnswers);
    },
    wait: () => {
      if (waits === 0) since = performance.now();
      waits += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        waits -= 1;
        if (waits === 0) spentMs += performance.now() - since;
      };
    },
    spend: async (work) => {
      budget.check();
      const answer = work().finally(() => {
        hasAnswers ||= leftMs() > 0;
      });
      return inTime(answer);
    },
    await: inTime,
  };
  return budget;
}

/** For work outside a request, limited only by each statement's own time limit. */
export const NO_BUDGET: Budget = {
  check: () => undefined,
  wait: () => () => undefined,
  spend: (work) => work(),
  await: (turn) => turn,
};
