/** Interface 5: what one request may wait for its stores, over all that it asks of them. Then it is answered 503. */
import { Outage } from './outage.js';

/** How long one request may wait for its stores, in all: milliseconds. A second is left for a machine that is busy. */
export const REQUEST_BUDGET_MS = 4_000;

/**
 * Begun once a request, and handed on. Time counts while something is waited for, once where several things are: what a
 * client takes to send its body does not, nor a password that is being checked.
 */
export interface Budget {
  /** @throws {TimeSpent} where nothing is left */
  check(): void;
  /** Counts from now on. @returns what ends it; called again it does nothing */
  wait(): () => void;
  /**
   * Counts while the work goes on. Work that takes longer than is left goes on unheard: before it does what cannot be
   * undone it has to `check`.
   * @throws {TimeSpent} where nothing is left, or the work takes longer
   */
  spend<T>(work: () => Promise<T>): Promise<T>;
}

/** The request has waited for its stores as long as it may. */
export class TimeSpent extends Outage {
  override readonly name = 'TimeSpent';

  /** @param hasAnswers true where a store has answered this request, be it slowly */
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
      const ended = budget.wait();
      let timer: NodeJS.Timeout | undefined;
      const timeUp = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          spentMs = totalMs; // timers are a little early now and then
          reject(new TimeSpent(hasAnswers));
        }, leftMs());
      });
      const answer = work().finally(() => {
        hasAnswers ||= leftMs() > 0;
      });
      try {
        return await Promise.race([answer, timeUp]);
      } finally {
        clearTimeout(timer);
        ended();
      }
    },
  };
  return budget;
}

/** For what is no request's, and takes the time that each statement may take. */
export const NO_BUDGET: Budget = {
  check: () => undefined,
  wait: () => () => undefined,
  spend: (work) => work(),
};
