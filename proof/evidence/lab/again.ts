/** Requests that an overloaded machine has refused, sent again: a 503 has changed nothing if no answer can be lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './browser.js';

/** Half a minute in all: an overload that lasts longer is given to the caller */
const RETRIES = 150;
const PAUSE_MS = 200;

export interface Again {
  /** The first answer other than 503, or the last 503 */
  answerOf<A extends Pick<Answer, 'status'>>(request: () => Promise<A>): Promise<A>;
  /** How many requests were sent again so far */
  overloads(): number;
}

export function againAfter503(): Again {
  let overloads = 0;
  return {
    answerOf: async (request) => {
      for (let left = RETRIES; ; left -= 1) {
        const answer = await request();
        if (answer.status !== 503 || left === 0) return answer;
        overloads += 1;
        await sleep(PAUSE_MS);
      }
    },
    overloads: () => overloads,
  };
}
