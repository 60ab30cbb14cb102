/** Interface 17: the turn of one cursor. What is parked goes first, then what is new, each in the order of the log. */
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';
import type { Delivery, Receiver } from './consumer.js';
import {
  advance,
  type Claimed,
  earlier,
  type Handled,
  type Horizon,
  isBefore,
  type LoggedEvent,
  NIL,
  type Place,
  type Progress,
  placeOf,
  readHorizon,
  readNew,
  readParked,
  readUnsettled,
} from './cursors.js';
import { DOWN_AFTER, delaySeconds, MAX_RETRY_AFTER, probeSeconds } from './schedule.js';

/** Events that are read at once, and are sent again if the process is killed before it has stored that they were sent. */
const PAGE = 100;
/** What was sent is stored after this time at the latest: milliseconds. With two more attempts it is less than a claim. */
const UNSTORED_MS = 5_000;
/** Then the others have their turn: milliseconds. */
const TURN_MS = 5_000;

interface Turn {
  /** Of the claim */
  me: string;
  cursor: Claimed;
  receiver: Receiver;
  /** Reports each attempt. */
  attempted(event: LoggedEvent, delivery: Delivery): void;
  /** Nothing more is begun. */
  stopping: AbortSignal;
  /** Ends an attempt, which then counts as none. */
  abort: AbortSignal;
}

/** Works on a claimed cursor until nothing is left, its receiver is down, or others wait. Then gives it back. */
export async function takeTurn({ clock, db }: Deps<'clock' | 'db'>, turn: Turn): Promise<void> {
  const { me, cursor, receiver, attempted, stopping, abort } = turn;
  const { id } = cursor;
  const began = performance.now();
  let storedAt = began;
  let front: Place = { at: cursor.front_at, id: cursor.front_id };
  let settled: Place = { at: cursor.settled_at, id: cursor.settled_id };
  let { failures } = cursor;
  let retryAt: Date | null = null;
  let last: Progress['last'];
  let handled: Handled[] = [];
  let isBack = false;
  let isGone = false;
  let hasProbed = false;
  let failedId: string | undefined;

  const isDown = (): boolean => failures >= DOWN_AFTER;
  const isResting = (): boolean => retryAt !== null || isGone || stopping.aborted;
  /** What was sent must be stored before anything else is. */
  const mustStore = (): boolean => isResting() || isBack || performance.now() - storedAt > UNSTORED_MS;

  /** @returns false if the claim is lost */
  const store = async (isOver: boolean): Promise<boolean> => {
    const isIdle = last === undefined && front.id === cursor.front_id && settled.at === cursor.settled_at;
    const progress = { front, settled, failures, retryAt, handled, last, isBack, isGone, isOver, isIdle };
    const isStored = await advance(db.admin, me, id, progress, clock.now());
    handled = [];
    isBack = false;
    storedAt = performance.now();
    return isStored;
  };

  const fail = (event: LoggedEvent, attempts: number, isProbe: boolean, delivery: Delivery & { kind: 'failed' }) => {
    const now = clock.now();
    const pauseSeconds = Math.min(delivery.retryAfterSeconds ?? 0, MAX_RETRY_AFTER);
    // An event that fails again says little of its receiver. Different ones in a row do.
    const isAnother = failedId !== undefined && failedId !== event.id;
    if (delivery.isOfEvent) failures = 0;
    else if (attempts === 0 || isAnother || isDown()) failures += 1;
    failedId = event.id;
    if (!isProbe) {
      const dueSeconds = Math.max(delaySeconds(attempts + 1), pauseSeconds);
      const due_at = addSeconds(now, dueSeconds).toISOString();
      handled.push({ event_id: event.id, written_at: event.written_at, attempts: attempts + 1, due_at });
    }
    isGone = delivery.isGone === true;
    if (pauseSeconds > 0) retryAt = addSeconds(now, pauseSeconds);
    else if (isDown()) retryAt = addSeconds(now, probeSeconds(failures));
  };

  /**
   * Tries one event.
   * @param attempts that have failed
   * @param isProbe true if it is tried although it is not due, which does not change when it is
   * @returns undefined if the process stopped meanwhile
   */
  const attempt = async (event: LoggedEvent, attempts: number, isProbe = false): Promise<Delivery | undefined> => {
    const delivery = await receiver.deliver(event, abort).catch((error: unknown) => {
      if (!abort.aborted) throw error;
    });
    if (delivery === undefined) return undefined;
    attempted(event, delivery);
    last = { at: clock.now(), outcome: delivery.outcome, status: delivery.status ?? null };
    if (delivery.kind === 'failed') {
      fail(event, attempts, isProbe, delivery);
      return delivery;
    }
    handled.push({ event_id: event.id, written_at: event.written_at, attempts: attempts + 1, due_at: null });
    if (delivery.kind === 'delivered') {
      isBack ||= isProbe || isDown();
      failures = 0;
      failedId = undefined;
    }
    return delivery;
  };

  /** Tries the oldest parked event, to see whether the receiver is back. Then all of them go before what is new. */
  const probe = async (): Promise<Delivery | undefined> => {
    hasProbed = true;
    const [oldest] = await readParked(db.admin, id, clock.now(), true, 1);
    if (oldest !== undefined) return attempt(oldest, oldest.attempts, true);
    failures = 0; // the audit log has dropped what was parked
    return undefined;
  };

  /** @returns true if all that is due was tried */
  const sendParked = async (): Promise<boolean> => {
    const parked = await readParked(db.admin, id, clock.now(), false, PAGE);
    for (const event of parked) if (mustStore() || !(await attempt(event, event.attempts))) return false;
    return parked.length < PAGE;
  };

  /** Sends what is wanted of new events. @returns the last one that needs nothing more */
  const sendNew = async (events: LoggedEvent[]): Promise<LoggedEvent | undefined> => {
    let done: LoggedEvent | undefined;
    for (const event of events) {
      if (mustStore()) break;
      if (receiver.wants(event)) {
        // The probe reads what is stored: what this turn has sent must be stored first, or it would be sent again.
        if (failures > 0 && !hasProbed && handled.length > 0) break;
        if (failures > 0 && !hasProbed) await probe();
        if (mustStore() || !(await attempt(event, 0))) break;
      }
      done = event;
    }
    return done;
  };

  /** Sends what has appeared behind the front. @returns true if that was all */
  const settle = async (horizon: Horizon): Promise<boolean> => {
    const target = earlier(front, { at: horizon.settled, id: NIL });
    if (!isBefore(settled, target)) return true;
    const missed = await readUnsettled(db.admin, id, settled, target, PAGE);
    const done = await sendNew(missed);
    const isAll = missed.length < PAGE && done === missed.at(-1);
    if (isAll) settled = target;
    else if (done !== undefined) settled = placeOf(done);
    return isAll;
  };

  /** @returns true if that was all */
  const sendPage = async (horizon: Horizon): Promise<boolean> => {
    const isContiguous = !isBefore(settled, front);
    const events = await readNew(db.admin, front, horizon.complete, PAGE);
    const done = await sendNew(events);
    if (done !== undefined) front = placeOf(done);
    const settles = earlier(front, { at: horizon.settled, id: NIL });
    if (isContiguous && isBefore(settled, settles)) settled = settles;
    return events.length < PAGE && done === events.at(-1);
  };

  /**
   * The receiver is down. If it answers a probe with a failure, perhaps it is that event that fails, so it is tried with the
   * next new one too.
   */
  const lookAgain = async (horizon: Horizon | undefined): Promise<void> => {
    const probed = await probe();
    if (horizon === undefined || probed?.kind !== 'failed') return;
    if (probed.status === undefined || probed.retryAfterSeconds || probed.isGone) return;
    const pause = retryAt;
    retryAt = null;
    await sendPage(horizon); // which ends with the first event that is tried
    if (isDown()) retryAt ??= pause;
  };

  /** @returns true if nothing is left */
  const work = async (): Promise<boolean> => {
    const horizon = await readHorizon(db.admin);
    if (isDown() && !isResting()) await lookAgain(horizon);
    if (mustStore() || handled.length > 0) return false; // what is read next must not have been sent in this turn
    if (!(await sendParked())) return false;
    if (horizon === undefined) return true;
    return (await settle(horizon)) && !mustStore() && (await sendPage(horizon));
  };

  for (;;) {
    const isAll = await work();
    const isOver = isAll || isResting() || performance.now() - began > TURN_MS;
    if (!(await store(isOver)) || isOver) return;
  }
}
