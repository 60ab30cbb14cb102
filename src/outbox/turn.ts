/**
 * The turn of one cursor, in steps from one state to the next: what is parked and due goes first, then what has
 * appeared behind the front, then what is new, each in the order of the log. A step that finds an event makes an
 * attempt, however long the steps before took, so each turn gets on. (Interface 17)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  earlier,
  type Horizon,
  isBefore,
  type LoggedEvent,
  NIL,
  positionOf,
  readHorizon,
  readNew,
} from '../audit/order.js';
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';
import type { Delivery, Patience, Receiver } from './consumer.js';
import { advance, type Claimed, readFirstOf, readParked, readUnsettled } from './cursors.js';
import { type Attempt, createFlights, type Flights, type Stopwatch } from './flights.js';
import { isDown, judged, type State, stateOf, withAttempt, withHandled } from './progress.js';
import { delaySeconds, restSeconds } from './schedule.js';

/** Events that are read at once, and are sent again if the process is killed before it has stored that they were sent. */
const PAGE = 100;
/** What was sent is stored once this time has passed: milliseconds. With one more attempt, as two alone, it is less than a claim. */
const UNSTORED_MS = 5_000;
/** A claim is renewed after this time, while an attempt lasts: milliseconds. */
const RENEW_MS = 10_000;
/** How often new events are looked for while an attempt lasts: milliseconds. */
const LOOK_MS = 1_000;
/** Then the others have their turn: milliseconds. */
const TURN_MS = 5_000;

const STOPWATCH: Stopwatch = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

interface Turn {
  /** Of the claim */
  me: string;
  cursor: Claimed;
  receiver: Receiver;
  patience: Patience | undefined;
  /** Reports each attempt. */
  attempted(event: LoggedEvent, delivery: Delivery): void;
  /** Nothing more is begun. */
  stopping: AbortSignal;
  /** Ends an attempt, which then counts as none. */
  abort: AbortSignal;
  stopwatch?: Stopwatch;
}

interface Work extends Deps<'clock' | 'db'>, Required<Turn> {
  flights: Flights;
}

/** A step, and whether it has left nothing to do. */
interface Stepped {
  state: State;
  isAll: boolean;
}

/** Works on a claimed cursor until nothing is left, its receiver rests, or others wait. Then gives it back. */
export async function takeTurn({ clock, db }: Deps<'clock' | 'db'>, turn: Turn): Promise<void> {
  const { stopwatch = STOPWATCH } = turn;
  const work: Work = { clock, db, ...turn, stopwatch, flights: createFlights({ ...turn, stopwatch }) };
  const beganMs = stopwatch.nowMs();
  let state = stateOf(turn.cursor, beganMs);
  while (!state.isLost) {
    const { state: next, isAll } = await takeRound(work, state);
    const isOver = isAll || rests(work, next) || (!turn.patience && stopwatch.nowMs() - beganMs > TURN_MS);
    if (isOver && work.flights.isNone()) return void (await store(work, next, true));
    const canGoOn = !isOver && next.front !== state.front;
    state = await stored(work, next);
    if (!canGoOn) state = await land(work, state);
  }
}

/** Nothing more is begun. */
function rests({ clock, stopping }: Work, { retryAt, isGone, isLost }: State): boolean {
  return (retryAt !== null && retryAt > clock.now()) || isGone || isLost || stopping.aborted;
}

/** What was sent must be stored before anything else is. */
function mustStore({ stopwatch }: Work, { handled, storedMs }: State): boolean {
  return handled.length > 0 && stopwatch.nowMs() - storedMs > UNSTORED_MS;
}

async function takeRound(work: Work, before: State): Promise<Stepped> {
  if (rests(work, before)) return { state: before, isAll: false };
  const horizon = await readHorizon(work.db.admin);
  if (isDown(before)) return { state: await lookAgain(work, before, horizon), isAll: false };
  const parked = await sendParked(work, before);
  let state = await stored(work, parked.state);
  if (!parked.isAll && !parked.givesWay) return { state, isAll: false };
  if (horizon === undefined || rests(work, state)) return { state, isAll: parked.isAll };
  const missed = await sendMissed(work, state, horizon);
  state = await stored(work, missed.state);
  if (!missed.isAll || rests(work, state)) return { state, isAll: false };
  const page = await sendNew(work, state, horizon);
  return { state: page.state, isAll: parked.isAll && page.isAll };
}

/** `givesWay`: an event has failed again, or a place is kept, so what is new goes before the rest of what is parked. */
async function sendParked(work: Work, before: State): Promise<Stepped & { givesWay: boolean }> {
  const { clock, cursor, db, flights } = work;
  const parked = await readParked(db.admin, cursor.id, clock.now(), PAGE);
  let state = before;
  for (const event of parked) {
    if (!flights.hasRoom(1)) return { state, isAll: false, givesWay: true };
    if (flights.ofSameUser(event)) continue;
    if (rests(work, state) || mustStore(work, state)) return { state, isAll: false, givesWay: false };
    const next = await send(work, state, { event, attempts: event.attempts, isProbe: false });
    if (next === state) return { state, isAll: false, givesWay: false }; // the process stops
    state = next;
    if (state.failedId === event.id) return { state, isAll: false, givesWay: true };
  }
  return { state, isAll: parked.length < PAGE, givesWay: false };
}

/** Sends what has appeared behind the front. */
async function sendMissed(work: Work, before: State, horizon: Horizon): Promise<Stepped> {
  const { settled, front } = before;
  const target = earlier(front, { at: horizon.settled, id: NIL });
  if (!isBefore(settled, target)) return { state: before, isAll: true };
  const missed = await readUnsettled(work.db.admin, work.cursor.id, settled, target, PAGE);
  const { state, done } = await pass(work, before, missed);
  const isAll = missed.length < PAGE && done === missed.at(-1);
  if (isAll) return { state: { ...state, settled: target }, isAll };
  return { state: done === undefined ? state : { ...state, settled: positionOf(done) }, isAll };
}

/** @param most attempts */
async function sendNew(work: Work, before: State, horizon: Horizon, most = PAGE): Promise<Stepped> {
  const isContiguous = !isBefore(before.settled, before.front);
  const events = await readNew(work.db.admin, before.front, horizon.complete, PAGE);
  const { state, done } = await pass(work, before, events, most);
  const front = done === undefined ? before.front : positionOf(done);
  const settles = earlier(front, { at: horizon.settled, id: NIL });
  const settled = isContiguous && isBefore(state.settled, settles) ? settles : state.settled;
  return { state: { ...state, front, settled }, isAll: events.length < PAGE && done === events.at(-1) };
}

/** Sends what is wanted of events. `done`: the last one that needs nothing more. */
async function pass(
  work: Work,
  before: State,
  events: LoggedEvent[],
  most = PAGE,
): Promise<{ state: State; done: LoggedEvent | undefined }> {
  const { flights, receiver } = work;
  let state = before;
  let done: LoggedEvent | undefined;
  let tried = 0;
  for (const event of events) {
    if (rests(work, state)) break;
    if (receiver.wants(event)) {
      if (tried === most || (tried > 0 && mustStore(work, state)) || !flights.hasRoom()) break;
      const other = flights.ofSameUser(event);
      if (other && flights.isYoung(other)) break;
      const next = await send(work, state, { event, attempts: 0, isProbe: false });
      if (next === state) break; // the process stops
      state = next;
      tried += 1;
    }
    done = event;
  }
  return { state, done };
}

/**
 * The receiver is down. The first of the events that have failed in a row is tried, so that order is kept if it is back. If
 * that fails, perhaps the event is why, so the next new one is tried too.
 */
async function lookAgain(work: Work, before: State, horizon: Horizon | undefined): Promise<State> {
  const { clock, cursor, db, flights, patience } = work;
  if (!flights.hasRoom()) return before;
  const first = await readFirstOf(db.admin, cursor.id, before.failures, flights.ids());
  if (first === undefined && flights.isNone()) return { ...before, failures: 0 }; // the audit log has dropped it
  const probe = first && { event: first, attempts: first.attempts, isProbe: true };
  const probed = probe === undefined ? { ...before } : await send(work, before, probe);
  if (probed === before) return before; // the process stops
  if (!isDown(probed) || probed.isAsked || probed.isGone || horizon === undefined) return probed;
  const { state } = await sendNew(work, { ...probed, failures: before.failures, retryAt: null }, horizon, 1);
  if (!isDown(state) || state.isAsked || state.isGone) return state;
  const isSlow = !patience && [probed, state].some(({ last }) => last?.outcome === 'timeout');
  const { failures } = probed;
  return { ...state, failures, retryAt: addSeconds(clock.now(), restSeconds(failures, isSlow)) };
}

/** @returns the same state if the process stops meanwhile */
async function send(work: Work, state: State, attempt: Attempt): Promise<State> {
  const { abort, attempted, clock, patience, receiver, stopwatch } = work;
  if (patience) return begin(work, state, attempt, patience);
  const beganMs = stopwatch.nowMs();
  const delivery = await receiver.deliver(attempt.event, abort, attempt.attempts).catch((error: unknown) => {
    if (!abort.aborted) throw error;
  });
  if (delivery === undefined) return state;
  attempted(attempt.event, delivery);
  const now = clock.now();
  const tried = withAttempt(state, attempt, delivery, Math.round(stopwatch.nowMs() - beganMs), now);
  return judged(tried, attempt, delivery, now);
}

/** Parks an event until the time of its attempt is over. The attempt is made once that is stored. */
function begin({ clock, flights }: Work, state: State, attempt: Attempt, { attemptSeconds }: Patience): State {
  const { event, attempts, isProbe } = attempt;
  const now = clock.now();
  if (flights.ofSameUser(event)) return withHandled(state, event, attempts, now); // it waits, and holds up nobody else
  flights.add(attempt);
  const seconds = Math.max(delaySeconds(attempts + 1), attemptSeconds);
  return withHandled(state, event, isProbe ? attempts : attempts + 1, addSeconds(now, seconds));
}

/** Waits for attempts that last, and stores their outcomes. */
async function land(work: Work, before: State): Promise<State> {
  const { abort, clock, flights } = work;
  let state = before;
  for (const flight of await flights.landed(LOOK_MS)) {
    const { event, attempts, result } = flight;
    if (result && 'delivery' in result) state = judged(state, flight, result.delivery, clock.now());
    else if (!abort.aborted) throw result?.error;
    // Nobody knows whether it has arrived, so it is tried again as if it had failed.
    else state = withHandled(state, event, attempts + 1, addSeconds(clock.now(), delaySeconds(attempts + 1)));
  }
  return stored(work, state);
}

/** Stores what was done, if anything was, or if the claim must be renewed. */
async function stored(work: Work, state: State): Promise<State> {
  const isFresh = work.stopwatch.nowMs() - state.storedMs < RENEW_MS;
  return state.handled.length === 0 && state.back === 0 && isFresh ? state : store(work, state, false);
}

async function store(work: Work, state: State, isOver: boolean): Promise<State> {
  const { clock, cursor, db, flights, me, stopwatch } = work;
  const { front, last, settled } = state;
  const isIdle = last === undefined && front.id === cursor.front_id && settled.at === cursor.settled_at;
  const progress = { ...state, underWay: flights.ids(), isOver, isIdle };
  const isStored = await advance(db.admin, me, cursor.id, progress, clock.now());
  if (isStored) flights.launch();
  return { ...state, handled: [], attempted: [], back: 0, isLost: !isStored, storedMs: stopwatch.nowMs() };
}
