/** The schedule of further attempts. (Interface 17) */
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds after each failed attempt; after the last one, always the last. */
export const DELAYS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** So that what failed together is not tried again together. */
export const SPREAD = 0.2;

/** Different events in a row that failed: then the receiver is down. */
export const DOWN_AFTER = 3;
/** A receiver that is down, or too slow, is tried after the first, then twice as late each time, up to the last: seconds. */
const FIRST_PROBE = 5;
const LAST_PROBE = MINUTE;
/** Each attempt on one that is too slow takes long, and holds a place that others could have. */
const LAST_PROBE_OF_SLOW = 5 * MINUTE;

/** A receiver may ask for at most this pause: seconds. */
export const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * Seconds until an event is tried again.
 * @param attempts failed ones, at least 1
 * @param random from 0 to 1
 */
export function delaySeconds(attempts: number, random = Math.random()): number {
  return spread(DELAYS[Math.min(attempts, DELAYS.length) - 1] ?? 0, random);
}

/**
 * Seconds for which a receiver rests after a failure; 0 if others are sent at once.
 * @param failures in a row
 * @param isSlow it did not answer in time
 */
export function restSeconds(failures: number, isSlow: boolean, random = Math.random()): number {
  const first = isSlow ? 1 : DOWN_AFTER;
  if (failures < first) return 0;
  return spread(Math.min(FIRST_PROBE * 2 ** (failures - first), isSlow ? LAST_PROBE_OF_SLOW : LAST_PROBE), random);
}

function spread(seconds: number, random: number): number {
  return seconds * (1 + SPREAD * (2 * random - 1));
}
