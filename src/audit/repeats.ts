/** Limits audit rows about dead tokens that are presented again and again: Spec 6 asks for rows, not for their number. */

import type { Metrics } from '../metrics.js';
import type { Clock } from '../platform/clock.js';
import type { Logger, RequestIds } from '../platform/logger.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import type { EventType } from './events.js';

/** Rows of one event type per minute and process, for one session and for one user. Further rows are only counted. */
const MAX_ROWS_OF_SESSION = 100;
const MAX_ROWS_OF_USER = 500;

/** Signed claims of a presented token. */
export interface TokenOwner {
  /** The session */
  sid: unknown;
  /** The user */
  sub: unknown;
}

export interface AuditRepeats {
  /**
   * Counts an event about a token that may have been presented before.
   * @returns true if its session or user has too many; an event that reports a change is still written
   */
  isOneTooMany(eventType: EventType, owner: TokenOwner): boolean;
  /** Counts a row that was left out. */
  suppressed(eventType: EventType): void;
  /** The same for one request, whose ids are then logged. */
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
