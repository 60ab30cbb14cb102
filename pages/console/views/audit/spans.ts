/** Spans of time in whole minutes, hours or days of the reader's clock, for counts. */
import { dayText, hourText } from '../../../kit/time.js';
import type { TimeBucket } from '../../operations.js';

export interface Span {
  bucket: TimeBucket;
  since: Date;
  until: Date;
}

/** Bars that a plot can show */
const MOST_BARS = 93;
/** The gateway refuses more counts than 1,500; of all types, few happen in one bucket. */
const MOST_COUNTS = 1_400;
const TYPES_IN_BUCKET = 15;
const DAY_MS = 86_400_000;
const LENGTH_MS: Record<TimeBucket, number> = { minute: 60_000, hour: 3_600_000, day: DAY_MS };

/** The hour that is not over, and the 23 before it. */
export function lastHours(now: Date): Span {
  const until = bucketEnd('hour', now);
  return { bucket: 'hour', since: new Date(until.getTime() - DAY_MS), until };
}

/** Today, and the 6 days before. */
export function lastDays(now: Date): Span {
  const since = bucketStart('day', now);
  since.setDate(since.getDate() - 6);
  return { bucket: 'day', since, until: bucketEnd('day', now) };
}

/**
 * The span of a plot: that of the filter as far as it has passed, or the seven days before its end.
 * @returns `isCut` if the filter's span is longer than a plot can show, and undefined if all of it is to come
 */
export function plottedSpan(
  { since: from, until: to }: { since?: string; until?: string },
  typeCount: number | undefined,
  now: Date,
): (Span & { isCut: boolean }) | undefined {
  if (from === undefined && (to === undefined || new Date(to) > now)) return { ...lastDays(now), isCut: false };
  const latest = bucketEnd('day', now);
  const until = to !== undefined && new Date(to) < latest ? new Date(to) : latest;
  const since = from === undefined ? new Date(until.getTime() - 7 * DAY_MS) : new Date(from);
  if (since > now) return undefined;
  const shownUntil = to === undefined ? now : until;
  const lengthMs = Math.max(1, shownUntil.getTime() - since.getTime());
  const fits = (bucket: TimeBucket): boolean => {
    const bars = lengthMs / LENGTH_MS[bucket];
    return bars <= MOST_BARS && (bars + 2) * (typeCount ?? TYPES_IN_BUCKET) <= MOST_COUNTS;
  };
  const bucket = fits('minute') ? 'minute' : fits('hour') ? 'hour' : 'day';
  const end = to === undefined ? bucketEnd(bucket, now) : until;
  if (lengthMs <= MOST_BARS * DAY_MS) return { bucket, since, until: end, isCut: false };
  return { bucket, since: new Date(end.getTime() - (MOST_BARS - 1) * DAY_MS), until: end, isCut: true };
}

function bucketStart(bucket: TimeBucket, at: Date): Date {
  if (bucket === 'day') return new Date(at.getFullYear(), at.getMonth(), at.getDate());
  // Not by `setMinutes`: of an hour that the clocks have twice, it would go back to the first.
  const localMs = at.getTime() - at.getTimezoneOffset() * LENGTH_MS.minute;
  return new Date(at.getTime() - (localMs % LENGTH_MS[bucket]));
}

function bucketEnd(bucket: TimeBucket, at: Date): Date {
  const start = bucketStart(bucket, at);
  if (bucket === 'day') start.setDate(start.getDate() + 1);
  else start.setTime(start.getTime() + LENGTH_MS[bucket]);
  return start;
}

export interface Bucket<Counted> {
  /** `since` of the span, if the bucket begins before it */
  since: string;
  until: string;
  /** `Wed 25 Nov, 14:00` */
  name: string;
  /** `Wed 25 Nov` or `14:00` */
  shortName: string;
  counted: Counted[];
}

/** The buckets of a span with what was counted in each; the gateway leaves out those with nothing in them. */
export function bucketsOf<Counted extends { bucketStart: string }>(
  { bucket, since, until }: Span,
  counts: readonly Counted[],
): Array<Bucket<Counted>> {
  const starts = new Set(counts.map(({ bucketStart: start }) => new Date(start).getTime()));
  for (let at = bucketStart(bucket, since); at < until; at = bucketEnd(bucket, at)) starts.add(at.getTime());
  const sorted = [...starts].sort((a, b) => a - b);
  return sorted.map((start, i) => ({
    since: new Date(Math.max(start, since.getTime())).toISOString(),
    until: new Date(Math.min(sorted[i + 1] ?? Number.POSITIVE_INFINITY, until.getTime())).toISOString(),
    ...namesOf(bucket, new Date(start)),
    counted: counts.filter(({ bucketStart: of }) => new Date(of).getTime() === start),
  }));
}

function namesOf(bucket: TimeBucket, start: Date): { name: string; shortName: string } {
  const day = dayText(start);
  const hour = hourText(start);
  return bucket === 'day' ? { name: day, shortName: day } : { name: `${day}, ${hour}`, shortName: hour };
}
