/** Judges which answers are wrong or late while a store, the clock or the log is faulty. (Interface 5 and 10) */
import { LATE_MS, type Size } from '../../experiment.js';
import type { Answer } from '../../lab/browser.js';
import { IS_RIGHT, type ProbeName } from '../../lab/probes.js';
import type { Expected } from './fault.js';

export interface Judge {
  take(probe: ProbeName, answer: Answer | 'no answer', expected: Expected): void;
  /** Whatever else must not be */
  fault(what: string): void;
  /** What was found, and how often */
  sum(): {
    answers: number;
    answered503: number;
    slowest503Ms: number;
    /** 503 of logins that a slow machine could not hash */
    overloads: number;
    late: number;
    wrong: number;
    examples: string[];
  };
}

export function createJudge(size: Size): Judge {
  const found = new Map<string, number>();
  const sum = { answers: 0, answered503: 0, slowest503Ms: 0, late: 0, wrong: 0, overloads: 0 };
  let served = 0;
  const note = (kind: 'late' | 'wrong', what: string): void => {
    sum[kind] += 1;
    found.set(what, (found.get(what) ?? 0) + 1);
  };
  return {
    take: (probe, answer, expected) => {
      sum.answers += 1;
      if (answer === 'no answer') return note('late', `${probe}: no answer`);
      if (answer.status === 503) {
        sum.answered503 += 1;
        sum.slowest503Ms = Math.max(sum.slowest503Ms, answer.ms);
        if (answer.ms > LATE_MS[size]) note('late', `${probe}: 503 after ${Math.round(answer.ms / 1000)} s`);
      }
      if (expected === 'busy' && answer.status === 503) sum.overloads += 1;
      else if (expected === 'busy') served += 1;
      const what = wrongIn(probe, answer, expected);
      if (what !== undefined) note('wrong', `${probe}: ${what}`);
    },
    fault: (what) => note('wrong', what),
    sum: () => {
      if (sum.overloads > 0 && served === 0) note('wrong', 'login: never served');
      return { ...sum, examples: Array.from(found, ([what, times]) => `${what} (${times} times)`) };
    },
  };
}

function wrongIn(probe: ProbeName, answer: Answer, expected: Expected): string | undefined {
  const { status, cookie } = answer;
  if (status === 503) {
    if (cookie !== undefined) return 'a cookie with a 503';
    return expected === 'right' ? '503' : undefined;
  }
  if (IS_RIGHT[probe](answer)) return expected === '503' ? `${status} instead of 503` : undefined;
  // Whether an honest token was refused, and why, is counted by its session.
  if (probe === 'refresh' && status === 401) return undefined;
  return expected === 'any' && status < 500 ? undefined : `${status} ${reasonOf(answer)}`.trimEnd();
}

/** Of a GraphQL error: a word of the documents */
function reasonOf({ body }: Answer): string {
  const [error] = Array.isArray(body['errors']) ? body['errors'] : [];
  return String(error?.extensions?.reason ?? '');
}
