/** Passwords in turn, as many at once as there are cores: who is let in, and for how long one waits. */
import pLimit from 'p-limit';
import { Outage } from '../platform/outage.js';

/** A login that would wait longer for its turn, by the speed of late, is not let in. */
const MAX_EXPECTED_SECONDS = 2;
/** Whoever has waited so long all the same is refused then, so that every 503 is there within 5 s. */
const MAX_WAIT_SECONDS = 4;
/** Logins that wait at once, whatever the speed; memory of each is a few KiB. */
const MAX_LOGINS = 1_024;
/** Passwords to be set that wait at once. They are let in where logins are not. */
const MAX_CHANGES = 16;
/** Of the speed of late, how much the newest hash counts. */
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
  sinceMs: number;
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
  /** What a hash has taken, by which it is expected how long the next ones wait. */
  learn(hashSeconds: number): void;
  /** How many wait for a core. */
  waiting(): number;
}

/** @param hashSeconds what a hash takes, as far as is known */
export function createPasswordQueue(atOnce: number, hashSeconds: number): PasswordQueue {
  const queue = pLimit(atOnce);
  const logins = new Set<Place>();
  const changes = new Set<Place>();
  let secondsOfLate = hashSeconds;

  const enter = (places: Set<Place>, isGone: () => boolean): Place => {
    const place = { isGone, sinceMs: performance.now(), [Symbol.dispose]: () => void places.delete(place) };
    places.add(place);
    return place;
  };
  const requireRoom = (): void => {
    const ahead = Math.max(0, logins.size + changes.size + queue.activeCount - atOnce);
    const expectedSeconds = (ahead / atOnce) * secondsOfLate;
    if (logins.size < MAX_LOGINS && expectedSeconds <= MAX_EXPECTED_SECONDS) return;
    throw new Overloaded('too many passwords are waiting to be checked');
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
    inTurn: (place, work) =>
      queue(async () => {
        place[Symbol.dispose]();
        const waitedSeconds = (performance.now() - place.sinceMs) / 1000;
        const isLate = waitedSeconds > MAX_WAIT_SECONDS && !place.isGone();
        if (isLate) throw new Overloaded('a password has waited too long for its turn');
        return work();
      }),
    learn: (seconds) => {
      secondsOfLate += (seconds - secondsOfLate) * NEWEST_COUNTS;
    },
    waiting: () => queue.pendingCount,
  };
}
