/** Interface 11: buckets of time by the clocks of a time zone, whatever these do. What Intl knows of the zone decides. */

export type TimeBucket = 'minute' | 'hour' | 'day';

const DAY_MS = 86_400_000;
const LENGTH_MS: Record<TimeBucket, number> = { minute: 60_000, hour: 3_600_000, day: DAY_MS };
/** Nowhere are changed clocks changed back so soon: milliseconds. */
const STEADY_MS = 3 * DAY_MS;

/** True for a name of the IANA database, in either case; an offset is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * When the buckets begin that hold a span of time, the first being the one that holds `since`. A day begins with the
 * first instant of its date; hours and minutes wherever the clock reads a whole one, or is put forward past one.
 * @param since inclusive @param until exclusive, both milliseconds since the epoch
 * @param most of so many at most the rest is left out
 * @returns milliseconds since the epoch
 */
export function bucketStarts(bucket: TimeBucket, timeZone: string, since: number, until: number, most: number) {
  const nextStart = startsIn(clocksOf(timeZone), LENGTH_MS[bucket]);
  let start = since - 3 * LENGTH_MS[bucket]; // is in some bucket, and by `since` the next ones have begun
  let next = nextStart(start);
  while (next <= since) [start, next] = [next, nextStart(next)];
  const starts = [start];
  for (; next < until && starts.length < most; next = nextStart(next)) starts.push(next);
  return starts;
}

/** @returns when the bucket ends that has begun at an instant */
function startsIn({ local, changeBetween }: Clocks, length: number): (start: number) => number {
  const bucketAt = (at: number) => Math.floor(local(at) / length);
  return (start) => {
    for (let at = start; ; ) {
      const full = at + length - (local(at) - bucketAt(at) * length); // if the clocks are not changed
      at = changeBetween(at, full) ?? full;
      const isWhole = length < DAY_MS && local(at) === bucketAt(at) * length;
      if (isWhole || bucketAt(at) > bucketAt(start)) return at; // a clock that is put back reads a time again
    }
  };
}

interface Clocks {
  /** What the clocks read, as milliseconds since the epoch would be read in UTC */
  local(at: number): number;
  /** When they are changed in `from` < at <= `to` */
  changeBetween(from: number, to: number): number | undefined;
}

function clocksOf(timeZone: string): Clocks {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const read = (at: number): number => {
    const [, sign = '+', hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(at)) ?? [];
    return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  };
  let known = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY, offset: 0 };
  const offset = (at: number): number => {
    if (at < known.from || at > known.to) {
      const here = read(at);
      known = { from: at, to: read(at + STEADY_MS) === here ? at + STEADY_MS : at, offset: here };
    }
    return known.offset;
  };
  return {
    local: (at) => at + offset(at),
    changeBetween: (from, to) => {
      const before = offset(from);
      if (offset(to) === before) return undefined;
      let [last, first] = [from, to];
      while (first - last > 1) {
        const middle = Math.floor((last + first) / 2);
        if (read(middle) === before) last = middle;
        else first = middle;
      }
      return first;
    },
  };
}
