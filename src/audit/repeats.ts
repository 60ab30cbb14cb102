/** One dead token, presented without end, must not fill the audit log: Spec 6 asks for the rows, not for their number. */
import type { Clock } from '../platform/clock.js';
import type { Logger, RequestIds } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import type { EventType } from './events.js';

/** Rows of one event type about one token and minute, of one process; what lies beyond is counted. */
const MAX_ROWS = 100;

export interface AuditRepeats {
  /**
   * Counts an event about a token that may have been presented before.
   * @returns true where it is one too many; an event that comes with a change is written all the same
   */
  isOneTooMany(eventType: EventType, jti: string): boolean;
  /** Counts a row that was left out. */
  suppressed(eventType: EventType): void;
  /** The same for one request, whose ids stand in the line about it. */
  of(ids: RequestIds): AuditRepeats;
}

export function createAuditRepeats(clock: Clock, log: Logger, metrics: Metrics): AuditRepeats {
  const ofToken = createMinuteCounter(clock);
  const lines = createMinuteCounter(clock);
  let sinceLastLine = 0;
  const of = (ids?: RequestIds): AuditRepeats => ({
    isOneTooMany: (eventType, jti) => ofToken.count(`${eventType} ${jti}`).count > MAX_ROWS,
    suppressed: (eventType) => {
      metrics.suppressedAuditRows.inc();
      sinceLastLine += 1;
      if (lines.count('line').count > 1) return;
      log.warn(
        { ...ids, event_type: eventType, suppressed: sinceLastLine },
        'audit rows about a token presented again and again are left out',
      );
      sinceLastLine = 0;
    },
    of,
  });
  return of();
}
