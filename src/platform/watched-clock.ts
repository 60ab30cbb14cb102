/** The clock here, compared with the database's, so that the difference is known at any moment. (Interface 10) */
import type { Clock } from './clock.js';
import { Outage } from './outage.js';

/** Beyond this difference the clock here decides nothing: seconds. */
export const MAX_SKEW_SECONDS = 60;

/** The answer depends on time, and the clock here is wrong. Answered 503. */
export class ClockSkewed extends Outage {
  override readonly name = 'ClockSkewed';
}

/** Both clocks at one moment. */
export interface ClockReadings {
  here: Date;
  database: Date;
}

export interface WatchedClock extends Clock {
  /** The current instant: by the clock here, or by the database's if it is skewed. */
  now(): Date;
  /** How far the clock here is ahead (seconds); undefined before the first comparison. */
  skewSeconds(): number | undefined;
  /** What both clocks say now; undefined before the first comparison. */
  readings(): ClockReadings | undefined;
  /** True if the clocks are too far apart, and before the first comparison. */
  isSkewed(): boolean;
  /** Guards what depends on time alone. @throws {ClockSkewed} if `isSkewed` */
  requireSynced(): void;
  /** Takes the database's time, read so many milliseconds ago. */
  compare(database: Date, agoMs: number): void;
}

/**
 * Between two comparisons the database's clock is assumed to advance with the monotonic clock here. So a clock that jumps is
 * skewed at once, until it jumps back or the next comparison confirms it.
 */
export function watchClock(clock: Clock, maxSkewSeconds = MAX_SKEW_SECONDS): WatchedClock {
  /** The database's time when the monotonic clock was at 0: milliseconds since the epoch */
  let databaseOriginMs: number | undefined;
  const databaseMs = (): number => (databaseOriginMs ?? Number.NaN) + performance.now();
  const skewMs = (here = clock.now()): number => here.getTime() - databaseMs();
  const isSkewed = (here?: Date): boolean => !(Math.abs(skewMs(here)) <= maxSkewSeconds * 1000);
  return {
    now: () => {
      const here = clock.now();
      return databaseOriginMs !== undefined && isSkewed(here) ? new Date(databaseMs()) : here;
    },
    skewSeconds: () => (databaseOriginMs === undefined ? undefined : skewMs() / 1000),
    readings: () =>
      databaseOriginMs === undefined ? undefined : { here: clock.now(), database: new Date(databaseMs()) },
    isSkewed: () => isSkewed(),
    requireSynced: () => {
      if (isSkewed()) throw new ClockSkewed('the clock here is too far from that of the database');
    },
    compare: (database, agoMs) => {
      databaseOriginMs = database.getTime() + agoMs - performance.now();
    },
  };
}
