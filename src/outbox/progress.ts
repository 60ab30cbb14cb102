/** The progress of a turn, and its change by each attempt. (Interface 17) */

import type { LoggedEvent } from '../audit/order.js';
import { addSeconds } from '../platform/clock.js';
import type { Delivery } from './consumer.js';
import type { Claimed, Handled, Progress } from './cursors.js';
import type { Attempt } from './flights.js';
import { DOWN_AFTER, delaySeconds, MAX_RETRY_AFTER, restSeconds } from './schedule.js';

export interface State
  extends Pick<
    Progress,
    'front' | 'settled' | 'failures' | 'retryAt' | 'handled' | 'attempted' | 'last' | 'back' | 'isGone'
  > {
  /** The receiver has asked for the pause until `retryAt`. */
  isAsked: boolean;
  /** The claim */
  isLost: boolean;
  failedId: string | undefined;
  storedMs: number;
}

export const isDown = ({ failures }: State): boolean => failures >= DOWN_AFTER;

export function stateOf(cursor: Claimed, storedMs: number): State {
  return {
    front: { at: cursor.front_at, id: cursor.front_id },
    settled: { at: cursor.settled_at, id: cursor.settled_id },
    failures: cursor.failures,
    retryAt: null,
    isAsked: false,
    handled: [],
    attempted: [],
    last: undefined,
    back: 0,
    isGone: false,
    isLost: false,
    failedId: undefined,
    storedMs,
  };
}

/** @param due null: it needs nothing more */
export function withHandled(state: State, event: LoggedEvent, attempts: number, due: Date | null): State {
  const { id: event_id, written_at } = event;
  const one: Handled = { event_id, written_at, attempts, due_at: due?.toISOString() ?? null };
  return { ...state, handled: [...state.handled, one] };
}

/** Remembers an attempt for those who look at it later. */
export function withAttempt(
  state: State,
  { event: { id: event_id, event_type }, attempts }: Attempt,
  { outcome, status }: Delivery,
  milliseconds: number,
  at: Date,
): State {
  const one = { event_id, event_type, attempt: attempts + 1, at, outcome, status: status ?? null, milliseconds };
  return { ...state, attempted: [...state.attempted, one] };
}

/** After an attempt */
export function judged(before: State, attempt: Attempt, delivery: Delivery, now: Date): State {
  const state = { ...before, last: { at: now, outcome: delivery.outcome, status: delivery.status ?? null } };
  if (delivery.kind === 'failed') return failed(state, attempt, delivery, now);
  const done = withHandled(state, attempt.event, attempt.attempts + 1, null);
  return delivery.kind === 'delivered' ? { ...up(done), failedId: undefined } : done;
}

/** If it was down, what has failed meanwhile is due. */
function up(state: State): State {
  return { ...state, failures: 0, retryAt: null, back: isDown(state) ? state.failures : state.back };
}

function failed(
  before: State,
  { event, attempts, isProbe }: Attempt,
  { outcome, retryAfterSeconds = 0, isGone = false, isOfEvent = false }: Delivery & { kind: 'failed' },
  now: Date,
): State {
  const askedSeconds = Math.min(retryAfterSeconds, MAX_RETRY_AFTER);
  const count = isProbe ? Math.max(attempts, 1) : attempts + 1; // a probe leaves an event in its place of the schedule
  const due = addSeconds(now, Math.max(delaySeconds(count), askedSeconds));
  const state = { ...withHandled(before, event, count, due), isGone, failedId: event.id };
  if (isOfEvent) return up(state);
  // An event that fails again says little of its receiver. Different ones in a row do.
  const isAnother = before.failedId !== undefined && before.failedId !== event.id;
  const counts = isDown(before) ? isProbe : attempts === 0 || isAnother;
  const failures = counts ? before.failures + 1 : before.failures;
  const restsSeconds = askedSeconds || (counts ? restSeconds(failures, outcome === 'timeout') : 0);
  const retryAt = restsSeconds > 0 ? addSeconds(now, restsSeconds) : before.retryAt;
  return { ...state, failures, retryAt, isAsked: askedSeconds > 0 };
}
