/** The only place that reads the time. Tests pass a clock that they move. */
export interface Clock {
  /** The current instant. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export function addSeconds(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000);
}

/** Whole seconds since the epoch, rounded down: NumericDate of RFC 7519 section 2. */
export function epochSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
