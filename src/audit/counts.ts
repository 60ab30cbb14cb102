/** Interface 11: counts of the audit log by time and type, for plots. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.js';
import { readRows } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { bucketStarts, isTimeZone, type TimeBucket } from '../platform/time-buckets.js';
import { type AuditEventFilter, conditionsOf, unionOf, upperBound } from './log.js';

export interface AuditCountFilter extends AuditEventFilter {
  since: Date;
  until: Date;
}

export interface AuditCountRequest {
  bucket: TimeBucket;
  /** A name of the IANA database */
  timeZone: string;
  filter: AuditCountFilter;
}

export interface AuditCount {
  /** When the bucket begins; the first one may before `since` */
  bucketStart: Date;
  eventType: string;
  count: number;
}

/** Points that a plot can show: the buckets of a span, and the counts of an answer. */
const MAX_POINTS = 1_500;

/**
 * Events by bucket, oldest first, and type. Where the filter names types, each has a count in each bucket, be it zero;
 * else there are the counts alone that are not.
 * @throws {AdminRefusal} for an unknown time zone; where there are more buckets, or more counts, than a plot can show;
 *   or where counting takes too long
 */
export async function countByTime({ db }: { db: Database }, request: AuditCountRequest): Promise<AuditCount[]> {
  const starts = startsOf(request);
  const { filter } = request;
  const types = filter.eventTypes == null ? null : [...new Set(filter.eventTypes)].sort();
  if (types !== null && starts.length * types.length > MAX_POINTS) throw tooManyPoints();
  const counted = await readRows(db, await countsQuery(db, filter, starts));
  if (counted.length > MAX_POINTS) throw tooManyPoints();
  const ofBucket = Map.groupBy(counted, ({ bucket }) => bucket);
  return starts.flatMap((bucketStart, i) => {
    const counts = new Map(ofBucket.get(i + 1)?.map(({ eventType, count }) => [eventType, count]));
    return (types ?? [...counts.keys()].sort()).map((eventType) => {
      return { bucketStart, eventType, count: counts.get(eventType) ?? 0 };
    });
  });
}

/** @throws {AdminRefusal} */
function startsOf({ bucket, timeZone, filter: { since, until } }: AuditCountRequest): Date[] {
  if (!isTimeZone(timeZone)) {
    throw new AdminRefusal('invalid_time_zone', 'There is no such time zone', { argument: 'timeZone' });
  }
  if (until <= since) throw new AdminRefusal('invalid_span', 'until is after since', { argument: 'until' });
  const starts = bucketStarts(bucket, timeZone, since.getTime(), until.getTime(), MAX_POINTS + 1);
  if (starts.length > MAX_POINTS) throw tooManyPoints();
  return starts.map((start) => new Date(start));
}

function tooManyPoints(): AdminRefusal {
  const cure = 'ask for a larger bucket, a shorter span or fewer types';
  return new AdminRefusal('invalid_span', `There are more than ${MAX_POINTS} points; ${cure}`, { argument: 'bucket' });
}

interface CountRow {
  /** Number of the bucket, from 1 */
  bucket: number;
  eventType: string;
  count: number;
}

async function countsQuery(
  db: Database,
  filter: AuditCountFilter,
  starts: readonly Date[],
): Promise<RawBuilder<CountRow>> {
  const conditions = await conditionsOf(db, filter, upperBound(filter.until, null));
  const events = unionOf(conditions, (where) => sql`select created_at, event_type from audit_events where ${where}`);
  return sql<CountRow>`
    select width_bucket(created_at, ${starts}::timestamptz[]) as bucket, event_type as "eventType", count(*)::int as count
    from (${events}) as events group by 1, 2 limit ${MAX_POINTS + 1}`;
}
