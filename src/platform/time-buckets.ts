/** Buckets of time by the clocks of a time zone, as Intl knows it. (Interface 11) */

export type TimeBucket = 'minute' | 'hour' | 'day';

const DAY_MS = 86_400_000;
const LENGTH_MS: Record<TimeBucket, number> = { minute: 60_000, hour: 3_600_000, day: DAY_MS };
/** No zone changes its clocks twice within this time: milliseconds. */
const STEADY_MS = 3 * DAY_MS;

/** True for a name of the IANA database, in either case; false for an offset. */
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
 * The starts of the buckets of a span of time, beginning with the bucket of `since`. A day begins with the first instant of
 * its date; hours and minutes begin when the clock reads a whole one, or is put forward past one.
 * @param since inclusive @param until exclusive, both milliseconds since the epoch
 * @param most the maximum number of buckets
 * @returns milliseconds since the epoch
 */
export function bucketStarts(bucket: TimeBucket, timeZone: string, since: number, until: number, most: number) {
  const nextStart = startsIn(clocksOf(timeZone), LENGTH_MS[bucket]);
  let start = since - 3 * LENGTH_MS[bucket]; // in an earlier bucket than `since`
  let next = nextStart(start);
  while (next <= since) [start, next] = [next, nextStart(next)];
  const starts = [start];
  for (; next < until && starts.length < most; next = nextStart(next)) starts.push(next);
  return starts;
}

/** @returns the end of the bucket that begins at an instant */
function startsIn({ local, changeBetween }: Clocks, length: number): (start: number) => number {
  const bucketAt = (at: number) => Math.floor(local(at) / length);
  return (start) => {
    for (let at = start; ; ) {
      const full = at + length - (local(at) - bucketAt(at) * length); // if the clocks are not changed
      at = changeBetween(at, full) ?? full;
      const isWhole = length < DAY_MS && local(at) === bucketAt(at) * length;
      if (isWhole || bucketAt(at) > bucketAt(start)) return at; // a clock that is put back shows a time twice
    }
  };
}

interface Clocks {
  /** The local time, as milliseconds since the epoch if it were UTC */
  local(at: number): number;
  /** The change of clocks in `from` < at <= `to` */
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
