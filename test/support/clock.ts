/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src/platform/clock.js';

export interface HandClock extends Clock {
  /** Moves forward by seconds (or back, where negative). */
  advance(seconds: number): void;
  set(instant: Date): void;
}

/** Starts at a whole second, so that expiries in seconds and in milliseconds agree. */
export function handClock(start = new Date(Math.floor(Date.now() / 1000) * 1000)): HandClock {
  let now = start.getTime();
  return {
    now: () => new Date(now),
    advance: (seconds) => {
      now += seconds * 1000;
    },
    set: (instant) => {
      now = instant.getTime();
    },
  };
}
