/**
 * The audit log as it is written, for streams that resume without a gap. One reader asks the database for all streams of
 * an instance, in the order and up to the horizon of `audit export`. A stream that is behind reads pages of its own until it
 * has caught up. (Interface 24)
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Database } from '../db/database.js';
import { encodeCursor } from '../listing/keyset.js';
import { AdminRefusal } from '../listing/refusal.js';
import { describeError, type Logger } from '../platform/logger.js';
import { KIND, positionIn } from './export.js';
import type { AuditEventFilter } from './log.js';
import { sessionsOfEvents } from './lookups.js';
import { type Matches, matching, type ReadEvent, toReadEvent } from './matches.js';
import { isBefore, NIL, type Position, positionOf, readHorizon, readNew, SETTLED_SECONDS } from './order.js';

/** How often the reader looks, and each stream is woken: milliseconds. */
const POLL_MS = 1_000;
const PAGE = 500;
/** Events that wait for one stream. One that is further behind reads again by itself. */
const MAX_WAITING = 1_000;
/** Streams of an instance that read by themselves at once */
const CATCHING_UP = 2;

/** An event and its place */
export interface FollowedEvent {
  event: ReadEvent;
  at: Position;
  cursor: string;
  /** The same for all events that were read together, whichever streams they go to */
  page: object;
}

/** What a stream is woken for: new events, often none. */
export interface Look {
  events: FollowedEvent[];
  /** Where to resume if there is nothing newer: every wanted event in front of it has been given */
  cursor: string;
}

export interface LiveLog {
  /**
   * Yields at least as often as the reader looks.
   * @param after a cursor of the log; undefined: from now on
   * @throws {AdminRefusal} for an invalid cursor, or if a transaction that writes to the log does not end
   */
  follow(filter: AuditEventFilter, after: string | undefined): Promise<AsyncGenerator<Look>>;
}

export interface LiveTimes {
  pollMs?: number;
  settledSeconds?: number;
}

interface Follower {
  matches: Matches;
  needsSessions: boolean;
  /** It was given every wanted event up to here. */
  at: Position;
  waiting: FollowedEvent[];
  isTooFarBehind: boolean;
  wake: PromiseWithResolvers<void>;
}

const NO_SESSIONS: ReadonlyMap<string, string> = new Map();

const cursorOf = ({ at, id }: Position): string => encodeCursor(at, id, KIND);

export function createLiveLog(
  { db, log }: { db: Database; log: Logger },
  { pollMs = POLL_MS, settledSeconds = SETTLED_SECONDS }: LiveTimes = {},
): LiveLog {
  const followers = new Set<Follower>();
  const caughtUp = pLimit(CATCHING_UP);
  let streams = 0;
  /** Followers have every event in front of it. */
  let readUntil = '';
  /** The look that is under way: nobody joins in the middle of one. */
  let look = Promise.resolve();
  let isReading = false;
  const ofNobody = AsyncLocalStorage.snapshot();

  const readPage = async (from: Position, until: string): Promise<FollowedEvent[]> => {
    const page = await readNew(db.admin, from, until, PAGE);
    return page.map((event) => {
      const at = positionOf(event);
      return { event: toReadEvent(event), at, cursor: cursorOf(at), page };
    });
  };

  const sessionsIn = async (events: FollowedEvent[], isNeeded: boolean): Promise<ReadonlyMap<string, string>> =>
    isNeeded && events.length > 0
      ? sessionsOfEvents(
          db,
          events.map(({ event }) => event.id),
        )
      : NO_SESSIONS;

  const give = (events: FollowedEvent[], last: Position, sessions: ReadonlyMap<string, string>): void => {
    for (const follower of followers) {
      const wanted = events.filter(({ event, at }) => isBefore(follower.at, at) && follower.matches(event, sessions));
      follower.isTooFarBehind ||= follower.waiting.length + wanted.length > MAX_WAITING;
      if (follower.isTooFarBehind) continue;
      follower.waiting.push(...wanted);
      if (isBefore(follower.at, last)) follower.at = last;
    }
  };

  const readOnce = async (): Promise<void> => {
    const horizon = await readHorizon(db.admin, settledSeconds);
    if (horizon === undefined || horizon.settled <= readUntil) return;
    let at: Position = { at: readUntil, id: NIL };
    for (;;) {
      const events = await readPage(at, horizon.settled);
      const last = events.at(-1);
      if (last === undefined) break;
      at = last.at;
      const isNeeded = [...followers].some(({ needsSessions }) => needsSessions);
      give(events, at, await sessionsIn(events, isNeeded));
      if (events.length < PAGE) break;
    }
    readUntil = horizon.settled;
  };

  /** Until the last stream ends. An outage ends no stream: they go on once the database is back. */
  const read = async (): Promise<void> => {
    let hasFailed = false;
    while (streams > 0) {
      look = readOnce().then(
        () => {
          hasFailed = false;
        },
        (error: unknown) => {
          if (!hasFailed) log.warn({ error: describeError(error) }, 'audit log: streams wait for the database');
          hasFailed = true;
        },
      );
      await look;
      for (const { wake } of followers) wake.resolve();
      await sleep(pollMs, undefined, { ref: false });
    }
    isReading = false;
  };

  const startReading = (from: string): void => {
    if (isReading) return;
    isReading = true;
    readUntil = from;
    void ofNobody(read); // of all streams, so no span of the first one's request
  };

  /** @returns the place from which the reader goes on for it */
  async function* catchUp(from: Position, matches: Matches, needsSessions: boolean): AsyncGenerator<Look, Position> {
    let at = from;
    for (;;) {
      await look;
      const until = readUntil;
      if (at.at >= until) return at; // and joins before the next look begins
      const events = await caughtUp(() => readPage(at, until));
      const sessions = await sessionsIn(events, needsSessions);
      const last = events.at(-1);
      at = last === undefined || events.length < PAGE ? { at: until, id: NIL } : last.at;
      yield { events: events.filter(({ event }) => matches(event, sessions)), cursor: cursorOf(at) };
    }
  }

  async function* following(filter: AuditEventFilter, from: Position, settled: string): AsyncGenerator<Look> {
    const matches = matching(filter);
    const needsSessions = filter.sessionId != null;
    let at = from;
    streams += 1;
    try {
      startReading(settled);
      yield { events: [], cursor: cursorOf(at) }; // or a stream that is cut in its first seconds could not resume
      for (;;) {
        at = yield* catchUp(at, matches, needsSessions);
        const wake = Promise.withResolvers<void>();
        const follower: Follower = { matches, needsSessions, at, waiting: [], isTooFarBehind: false, wake };
        followers.add(follower);
        try {
          while (!follower.isTooFarBehind) {
            await follower.wake.promise;
            follower.wake = Promise.withResolvers();
            const events = follower.waiting.splice(0);
            const last = events.at(-1);
            const read = { at: readUntil, id: NIL };
            if (last !== undefined) at = last.at;
            if (!follower.isTooFarBehind && isBefore(at, read)) at = read;
            yield { events, cursor: cursorOf(at) };
          }
        } finally {
          followers.delete(follower);
        }
      }
    } finally {
      streams -= 1;
    }
  }

  return {
    follow: async (filter, after) => {
      const from = after === undefined ? undefined : positionIn(after);
      const horizon = await readHorizon(db.admin, settledSeconds);
      if (horizon === undefined) throw new AdminRefusal('too_much_to_read', STUCK);
      return following(filter, from ?? { at: horizon.complete, id: NIL }, horizon.settled);
    },
  };
}

const STUCK = 'A transaction that has written to the audit log does not end; try again later';
