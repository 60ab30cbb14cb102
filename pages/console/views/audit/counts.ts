/** Counts of the audit log over a span of time. */

import { ask } from '../../../kit/graphql.js';
import { TIME_ZONE } from '../../../kit/time.js';
import { AuditCounts, type AuditEventType } from '../../operations.js';
import type { Filter } from './filters.js';
import { type Bucket, bucketsOf, type Span } from './spans.js';

/** `ended_token`: of the type `token_theft`, and no theft */
export type CountedType = AuditEventType | 'ended_token';

interface Count {
  bucketStart: string;
  eventType: CountedType;
  count: number;
}

export type CountBucket = Bucket<Count>;

export async function countEvents(span: Span, filter: Filter, signal: AbortSignal): Promise<CountBucket[]> {
  const counted = { ...filter, since: span.since.toISOString(), until: span.until.toISOString() };
  const endedTokens = { ...counted, isTheft: false, ...(filter.isTheft && { eventTypes: [] }) };
  const variables = { bucket: span.bucket, timeZone: TIME_ZONE, filter: counted, endedTokens };
  const { auditCounts, endedTokens: ended } = await ask(AuditCounts, variables, signal);
  const endedAt = new Map(ended?.map(({ bucketStart, count }) => [bucketStart, count]));
  const counts = (auditCounts ?? []).flatMap(({ bucketStart, eventType, count }): Count[] => {
    if (eventType !== 'token_theft') return [{ bucketStart, eventType, count }];
    const harmless = Math.min(count, endedAt.get(bucketStart) ?? 0); // one may have come between the two counts
    return [
      { bucketStart, eventType, count: count - harmless },
      { bucketStart, eventType: 'ended_token', count: harmless },
    ];
  });
  return bucketsOf(span, counts);
}
