/** Interface 10: the clock here beside that of the database: how far apart they are is known at any moment, unasked. */
import type { Clock } from './clock.js';
import { Outage } from './outage.js';

/** Further apart than this, and the clock here decides nothing: seconds. */
export const MAX_SKEW_SECONDS = 60;

/** What rests on time cannot be told, because the clock here is wrong. Answered 503. */
export class ClockSkewed extends Outage {
  override readonly name = 'ClockSkewed';
}

export interface WatchedClock extends Clock {
  /** The current instant: by the clock here or, where that is skewed, by the database's. */
  now(): Date;
  /** How far the clock here is ahead (seconds); undefined before the first comparison. */
  skewSeconds(): number | undefined;
  /** True where the clocks are too far apart, and before the first comparison. */
  isSkewed(): boolean;
  /** Stands before what rests on time alone. @throws {ClockSkewed} where `isSkewed` */
  mustAgree(): void;
  /** Takes what the clock of the database said, so many milliseconds ago. */
  compare(database: Date, agoMs: number): void;
}

/**
 * Between two comparisons the database's clock is taken to go on as the monotonic clock here does. So a clock that jumps
 * is skewed at once, and no longer when it has jumped back, or when the next comparison finds that it was right to jump.
 */
export function watchClock(clock: Clock, maxSkewSeconds = MAX_SKEW_SECONDS): WatchedClock {
  /** What the database's clock said when the monotonic clock was at 0: milliseconds since the epoch */
  let databaseOriginMs: number | undefined;
  const databaseMs = (): number => (databaseOriginMs ?? Number.NaN) + performance.now();
  const skewMs = (): number => clock.now().getTime() - databaseMs();
  const isSkewed = (): boolean => !(Math.abs(skewMs()) <= maxSkewSeconds * 1000);
  return {
    now: () => (databaseOriginMs !== undefined && isSkewed() ? new Date(databaseMs()) : clock.now()),
    skewSeconds: () => (databaseOriginMs === undefined ? undefined : skewMs() / 1000),
    isSkewed,
    mustAgree: () => {
      if (isSkewed()) throw new ClockSkewed('the clock here is too far from that of the database');
    },
    compare: (database, agoMs) => {
      databaseOriginMs = database.getTime() + agoMs - performance.now();
    },
  };
}
