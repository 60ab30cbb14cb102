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

/** Whether its year in UTC has four digits, from 1 on: others are no text of RFC 3339, and PostgreSQL reads them otherwise. */
export function hasFourDigitYear(instant: Date): boolean {
  const year = instant.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

let second = Number.NaN;
let toTheSecond = '';

/** RFC 3339 in UTC, with milliseconds, as `toISOString`, which formats each anew and takes ten times as long. */
export function utcText(atMs: number): string {
  const ms = atMs - Math.floor(atMs / 1000) * 1000;
  if (atMs - ms !== second) {
    second = atMs - ms;
    toTheSecond = new Date(second).toISOString().slice(0, -4);
  }
  return `${toTheSecond}${ms < 100 ? (ms < 10 ? '00' : '0') : ''}${ms}Z`;
}
