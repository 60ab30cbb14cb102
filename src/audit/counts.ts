/** Counts of the audit log by time and type, for plots. (Interface 11) */
import type { Database } from '../db/database.js';
import { type RawBuilder, sql } from '../db/sql.js';
import { readRows } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { bucketStarts, isTimeZone, type TimeBucket } from '../platform/time-buckets.js';
import type { EventType } from './events.js';
import { type AuditEventFilter, conditionsOf, unionOf } from './log.js';

export interface AuditCountFilter extends AuditEventFilter {
  since: Date;
  until: Date;
}

export interface AuditCountRequest {
  bucket: TimeBucket;
  /** IANA name */
  timeZone: string;
  filter: AuditCountFilter;
}

export interface AuditCount {
  /** May be earlier than `since` in the first bucket */
  bucketStart: Date;
  /** Or one of a newer version */
  eventType: EventType;
  count: number;
}

/** Limit of the buckets in a span and of the counts in an answer: more than a plot can show. */
const MAX_POINTS = 1_500;

/**
 * Counts events by bucket, oldest first, and by type. If the filter names types, each type has a count in each bucket,
 * even zero; otherwise zero counts are left out.
 * @throws {AdminRefusal} for an unknown time zone, too many buckets or counts, or if counting takes too long
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
    throw new AdminRefusal('invalid_time_zone', 'Unknown time zone', { argument: 'timeZone' });
  }
  if (until <= since) throw new AdminRefusal('invalid_span', 'until must be later than since', { argument: 'until' });
  const starts = bucketStarts(bucket, timeZone, since.getTime(), until.getTime(), MAX_POINTS + 1);
  if (starts.length > MAX_POINTS) throw tooManyPoints();
  return starts.map((start) => new Date(start));
}

function tooManyPoints(): AdminRefusal {
  const text = `More than ${MAX_POINTS} points; ask for a larger bucket, a shorter span or fewer types`;
  return new AdminRefusal('invalid_span', text, { argument: 'bucket' });
}

interface CountRow {
  /** Counted from 1 */
  bucket: number;
  eventType: EventType;
  count: number;
}

async function countsQuery(
  db: Database,
  filter: AuditCountFilter,
  starts: readonly Date[],
): Promise<RawBuilder<CountRow>> {
  const conditions = await conditionsOf(db, filter);
  const events = unionOf(conditions, (where) => sql`select created_at, event_type from audit_events where ${where}`);
  return sql<CountRow>`
    select width_bucket(created_at, ${starts}::timestamptz[]) as bucket, event_type as "eventType", count(*)::int as count
    from (${events}) as events group by 1, 2 limit ${MAX_POINTS + 1}`;
}
