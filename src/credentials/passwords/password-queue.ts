/** Passwords in turn, as many at once as there are cores: who is let in, and for how long one waits. */
import pLimit from 'p-limit';
import { Outage } from '../../platform/outage.js';

/** A login that would wait longer for its turn, by the speed of late, is not let in. */
const MAX_EXPECTED_SECONDS = 2;
/** Whoever has waited so long all the same is refused then, so that every 503 is there within 5 s. */
const MAX_WAIT_SECONDS = 4;
/** Logins that wait at once, whatever the speed; memory of each is a few KiB. */
const MAX_LOGINS = 1_024;
/** Passwords to be set that wait at once; they are let in where logins are not. */
const MAX_CHANGES = 16;
/** Of the speed of late, how much the newest turn counts. */
const NEWEST_COUNTS = 1 / 16;

/** Thrown where a password would wait too long for its turn, or has. Answered 503. */
export class Overloaded extends Outage {
  override readonly name = 'Overloaded';
}

/** Of one who waits, or will wait once its user is looked up. */
export interface Place {
  /** True where the client has gone, for whom nothing more is done. */
  isGone(): boolean;
  /** Since when it is taken (milliseconds) */
  readonly sinceMs: number;
  /** Gives it back, where its turn has not come. */
  [Symbol.dispose](): void;
}

export interface PasswordQueue {
  /** Looks whether a login would be let in. @throws {Overloaded} */
  requireRoom(): void;
  /** Lets a login in. @throws {Overloaded} */
  takePlace(isGone?: () => boolean): Place;
  /** Lets a password in that is to be set. @throws {Overloaded} */
  takePlaceOfChange(): Place;
  /** Runs the work when it is this place's turn. @throws {Overloaded} where that comes too late */
  inTurn<T>(place: Place, work: () => Promise<T>): Promise<T>;
  /** How many wait for a core. */
  waiting(): number;
}

/**
 * @param hashSeconds what a hash takes, as far as is known; from then on waiting itself is measured
 * @param nowMs of a clock that only goes forward
 */
export function createPasswordQueue(
  atOnce: number,
  hashSeconds: number,
  nowMs: () => number = () => performance.now(),
): PasswordQueue {
  const queue = pLimit(atOnce);
  const logins = new Set<Place>();
  const changes = new Set<Place>();
  let secondsATurn = hashSeconds / atOnce;

  /** How many turns come before that of one more; 0 where a core is free. */
  const turnsBehind = (waiting: number): number => Math.max(0, waiting + queue.activeCount - atOnce + 1);
  const enter = (places: Set<Place>, isGone: () => boolean): Place => {
    const place = { isGone, sinceMs: nowMs(), [Symbol.dispose]: () => void places.delete(place) };
    places.add(place);
    return place;
  };
  const requireRoom = (): void => {
    const turns = turnsBehind(logins.size + changes.size);
    const isSoon = turns <= 1 || turns * secondsATurn <= MAX_EXPECTED_SECONDS;
    if (logins.size >= MAX_LOGINS || !isSoon) throw new Overloaded('too many passwords are waiting to be checked');
  };
  return {
    requireRoom,
    takePlace: (isGone = () => false) => {
      requireRoom();
      return enter(logins, isGone);
    },
    takePlaceOfChange: () => {
      if (changes.size >= MAX_CHANGES) throw new Overloaded('too many passwords are waiting to be set');
      return enter(changes, () => false);
    },
    inTurn: (place, work) => {
      const turns = turnsBehind(queue.pendingCount);
      const joinedMs = nowMs();
      return queue(async () => {
        place[Symbol.dispose]();
        const waitedSeconds = (nowMs() - joinedMs) / 1000;
        if (turns > 0) secondsATurn += (waitedSeconds / turns - secondsATurn) * NEWEST_COUNTS;
        const isLate = nowMs() - place.sinceMs > MAX_WAIT_SECONDS * 1000 && !place.isGone();
        if (isLate) throw new Overloaded('a password has waited too long for its turn');
        return work();
      });
    },
    waiting: () => queue.pendingCount,
  };
}
