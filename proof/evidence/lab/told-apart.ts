/** Whether two kinds of answers are told apart by the time that they take. */
import { randomInt } from 'node:crypto';
import type { Row } from '../experiment.js';
import type { OneConnection, Timed } from './one-connection.js';
import { areaUnderCurve, percentile, welchT } from './stats.js';

const WARM_UP = 20;
/** What the literature on timing leaks takes for one (Reparaz et al., "dude, is my code constant time?") */
const TOLD_APART = 4.5;

/** What is presented, made anew each time before the clock starts. */
type Presented = Record<string, () => Timed>;

/** Presents one of each kind in random order, again and again. @returns milliseconds, by kind */
export async function measure(
  connection: OneConnection,
  times: number,
  kinds: Presented,
): Promise<Record<string, number[]>> {
  const taken: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let round = 0; round < WARM_UP + times; round += 1) {
    for (const [kind, make] of shuffled(Object.entries(kinds))) {
      const ms = await connection.ask(make());
      if (round >= WARM_UP) taken[kind]?.push(ms);
    }
  }
  return taken;
}

function shuffled<T>(items: T[]): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [items[last], items[other]] = [items[other] as T, items[last] as T];
  }
  return items;
}

/** @param least pairs that must have been measured */
export function judge(what: string, left: number[], right: number[], least: number): Row {
  const t = welchT(left, right);
  return {
    what: `${what} told apart by time`,
    trials: Math.min(left.length, right.length),
    least,
    violations: Math.abs(t) >= TOLD_APART ? 1 : 0,
    figures: {
      welch_t: t,
      area_under_curve: areaUnderCurve(left, right),
      median_ms: percentile(left, 0.5),
      other_median_ms: percentile(right, 0.5),
    },
  };
}

/** @param more headers */
export function wrongPassword(email: string, more: Record<string, string> = {}): Timed {
  const body = Buffer.from(JSON.stringify({ email, password: 'not the password at all' }));
  return { path: '/auth/login', headers: { 'content-type': 'application/json', ...more }, body };
}
