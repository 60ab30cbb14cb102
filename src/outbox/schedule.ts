/** Interface 17: when what failed is tried again. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds after each failed attempt; after the last one, always the last. */
const DELAYS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** So that what failed together is not tried again together. */
const SPREAD = 0.2;

/** Events in a row whose first attempt failed: then the receiver is down. */
export const DOWN_AFTER = 3;
/** A receiver that is down is tried after the first, then twice as late each time: seconds. */
const FIRST_PROBE = 5;
const LAST_PROBE = MINUTE;

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
 * Seconds until a receiver that is down is tried again.
 * @param failures at least `DOWN_AFTER`
 */
export function probeSeconds(failures: number, random = Math.random()): number {
  return spread(Math.min(FIRST_PROBE * 2 ** (failures - DOWN_AFTER), LAST_PROBE), random);
}

function spread(seconds: number, random: number): number {
  return seconds * (1 + SPREAD * (2 * random - 1));
}
