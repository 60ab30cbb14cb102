/** Remembers who is over a limit, so that a flood is refused from memory and reaches the store once a second. (Interface 5) */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../platform/clock.js';

/**
 * How long a process refuses from memory: milliseconds. `rate-limit clear` waits as long, so that every instance has
 * forgotten what it cleared.
 */
export const REMEMBERED_MS = 1_000;

/** About 2 MB. Keys that were evicted are asked of the store. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  /** When the window ends */
  endsMs: number;
  /** When the store was last asked */
  askedMs: number;
}

export interface OverLimit {
  /**
   * Whether one of these keys is known to be over its limit. If that is older than a second, this request asks the store
   * and the others are still refused.
   * @returns milliseconds until its window ends; undefined: ask the store for each key, and `learn` the answers
   */
  msLeft(keys: readonly string[]): number | undefined;
  /** Stores an answer. `askedAt` is the time before asking, so that a `clear` in between is noticed in time */
  learn(key: string, answer: { isOver: boolean; msLeft: number; askedAt: Date }): void;
  /** The request that should have asked the store did not: the next one asks. */
  notAsked(key: string): void;
}

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
