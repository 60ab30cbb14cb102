/** Counts by key within the minute, in this process's memory. */
import type { Clock } from './clock.js';

const MINUTE_MS = 60_000;
/** Keys counted separately in one minute: about 10 MB. */
const MAX_KEYS = 100_000;

export interface Counted {
  /** The count of the key in this minute, this one included; 1 for a key beyond the bound */
  count: number;
  /** Whole seconds until the minute ends, at least 1 */
  resetSeconds: number;
}

export interface MinuteCounter {
  /** Adds one. */
  count(key: string): Counted;
}

/** A minute begins with the first key that is counted after the last minute. */
export function createMinuteCounter(clock: Clock): MinuteCounter {
  const counts = new Map<string, number>();
  let endsMs = Number.NEGATIVE_INFINITY;
  return {
    count: (key) => {
      const nowMs = clock.now().getTime();
      if (nowMs >= endsMs || nowMs < endsMs - MINUTE_MS) {
        counts.clear();
        endsMs = nowMs + MINUTE_MS;
      }
      const count = (counts.get(key) ?? 0) + 1;
      if (count > 1 || counts.size < MAX_KEYS) counts.set(key, count);
      return { count, resetSeconds: Math.max(Math.ceil((endsMs - nowMs) / 1000), 1) };
    },
  };
}
