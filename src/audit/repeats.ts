/** Dead tokens, presented without end, must not fill the audit log: Spec 6 asks for the rows, not for their number. */
import type { Clock } from '../platform/clock.js';
import type { Logger, RequestIds } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import type { EventType } from './events.js';

/** Rows of one event type in a minute and process: about one session, and about one user. What lies beyond is counted. */
const MAX_ROWS_OF_SESSION = 100;
const MAX_ROWS_OF_USER = 500;

/** Whom the signed claims of a presented token name. */
export interface TokenOwner {
  /** The session */
  sid: unknown;
  /** The user */
  sub: unknown;
}

export interface AuditRepeats {
  /**
   * Counts an event about a token that may have been presented before.
   * @returns true if it is one too many of its session or user; an event that comes with a change is written all the same
   */
  isOneTooMany(eventType: EventType, owner: TokenOwner): boolean;
  /** Counts a row that was left out. */
  suppressed(eventType: EventType): void;
  /** The same for one request, whose ids stand in the line about it. */
  of(ids: RequestIds): AuditRepeats;
}

export function createAuditRepeats(clock: Clock, log: Logger, metrics: Metrics): AuditRepeats {
  const rows = createMinuteCounter(clock);
  const lines = createMinuteCounter(clock);
  let sinceLastLine = 0;
  const of = (ids?: RequestIds): AuditRepeats => ({
    isOneTooMany: (eventType, { sid, sub }) => {
      const ofSession = sid === undefined ? 0 : rows.count(JSON.stringify([eventType, 'session', sid])).count;
      const ofUser = rows.count(JSON.stringify([eventType, 'user', sub])).count;
      return ofSession > MAX_ROWS_OF_SESSION || ofUser > MAX_ROWS_OF_USER;
    },
    suppressed: (eventType) => {
      metrics.suppressedAuditRows.inc();
      sinceLastLine += 1;
      if (lines.count('line').count > 1) return;
      log.warn(
        { ...ids, event_type: eventType, suppressed: sinceLastLine },
        'audit rows about tokens presented again and again are left out',
      );
      sinceLastLine = 0;
    },
    of,
  });
  return of();
}
