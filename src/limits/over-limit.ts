/** Interface 5: who was over a limit a moment ago: a flood is refused by that, and its store asked once a second. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.js';

/**
 * How long a process refuses by what it remembers: milliseconds. `rate-limit clear` waits as long, so that no instance
 * refuses any more what it has cleared.
 */
export const REMEMBERED_MS = 1_000;

/** Some 2 MB. Beyond that the store is asked, as for everybody else. */
const MAX_REMEMBERED = 10_000;

/** In milliseconds of the clock */
interface Remembered {
  /** When the window ends */
  endsMs: number;
  /** When the store was last asked */
  askedMs: number;
}

export interface OverLimit {
  /**
   * Whether one of these is over its limit, so that the store need not be asked. If what is remembered is older than a
   * second, one request is sent to the store, and the others are still refused.
   * @returns milliseconds until its window ends, or undefined: ask the store of each, and `learn` what it says
   */
  msLeft(keys: readonly string[]): number | undefined;
  /** What the store has said. @param askedAt before it was: what is forgotten there later is not remembered for longer */
  learn(key: string, said: { isOver: boolean; msLeft: number; askedAt: Date }): void;
  /** The request that was to ask did not come so far: the next one is to. */
  notAsked(key: string): void;
}

/** In memory alone, of this process. */
export function rememberOverLimit(clock: Clock): OverLimit {
  const known = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED });
  return {
    msLeft: (keys) => {
      const nowMs = clock.now().getTime();
      const found = keys.flatMap((key) => known.get(key) ?? []).filter(({ endsMs }) => nowMs < endsMs);
      const fresh = found.find(({ askedMs }) => nowMs >= askedMs && nowMs < askedMs + REMEMBERED_MS);
      if (fresh !== undefined) return fresh.endsMs - nowMs;
      for (const one of found) one.askedMs = nowMs;
      return undefined;
    },
    learn: (key, { isOver, msLeft, askedAt }) => {
      if (isOver) known.set(key, { endsMs: clock.now().getTime() + msLeft, askedMs: askedAt.getTime() });
      else known.delete(key);
    },
    notAsked: (key) => {
      const found = known.get(key);
      if (found !== undefined) found.askedMs = Number.NEGATIVE_INFINITY;
    },
  };
}
