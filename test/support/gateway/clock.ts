/** Clocks that tests move: one that stands still between, and one that goes on. */
import type { Clock } from '../../../src/platform/clock.js';

export interface HandClock extends Clock {
  /** Moves forward by seconds (back if negative). */
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

/** Goes on by itself, as long as a test takes; right until it is moved. */
export function runningClock(): HandClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance: (seconds) => {
      aheadMs += seconds * 1000;
    },
    set: (instant) => {
      aheadMs = instant.getTime() - Date.now();
    },
  };
}
