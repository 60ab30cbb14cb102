/** A queue for passwords, which hashes as many at once as there are cores and refuses those that would wait too long. */
import pLimit from 'p-limit';
import { Outage } from '../../platform/outage.js';

/** A login whose expected wait is longer is refused at once. */
export const MAX_EXPECTED_SECONDS = 2;
/** One that has waited this long is refused when its turn comes, so that every 503 is sent within 5 s. */
const MAX_WAIT_SECONDS = 4;
/** Waiting logins, whatever their expected wait; each takes a few KiB. */
const MAX_LOGINS = 1_024;
/** Waiting passwords that are to be set. They have slots of their own, so they are accepted even if logins are refused. */
const MAX_CHANGES = 16;
/** Weight of the newest turn in the moving average of turn times. */
const NEWEST_WEIGHT = 1 / 16;

/** A password would wait too long for its turn, or has. Answered 503. */
export class Overloaded extends Outage {
  override readonly name = 'Overloaded';
}

/** A slot in the queue, taken before the user is read. */
export interface Slot {
  /** True if the client has disconnected. */
  isGone(): boolean;
  /** When it was taken, by `performance.now()` */
  readonly sinceMs: number;
  /** Gives it back if its turn has not come. */
  [Symbol.dispose](): void;
}

export interface PasswordQueue {
  /** @throws {Overloaded} if a login would be refused */
  requireRoom(): void;
  /** Takes a slot for a login. @throws {Overloaded} */
  takeSlot(isGone?: () => boolean): Slot;
  /** Takes a slot for a password that is to be set. @throws {Overloaded} */
  takeSlotOfChange(): Slot;
  /** Runs the work at the turn of this slot. @throws {Overloaded} if that comes too late */
  run<T>(slot: Slot, work: () => Promise<T>): Promise<T>;
  /** How many wait for a core. */
  waiting(): number;
}

/**
 * @param hashSeconds first estimate of the time of a hash; waiting times are measured from then on
 * @param nowMs a monotonic clock
 */
export function createPasswordQueue(
  atOnce: number,
  hashSeconds: number,
  nowMs: () => number = () => performance.now(),
): PasswordQueue {
  const queue = pLimit(atOnce);
  const logins = new Set<Slot>();
  const changes = new Set<Slot>();
  let secondsATurn = hashSeconds / atOnce;

  /** Turns in front of the next arrival; 0 if a core is free. */
  const turnsBehind = (waiting: number): number => Math.max(0, waiting + queue.activeCount - atOnce + 1);
  const enter = (slots: Set<Slot>, isGone: () => boolean): Slot => {
    const slot = { isGone, sinceMs: nowMs(), [Symbol.dispose]: () => void slots.delete(slot) };
    slots.add(slot);
    return slot;
  };
  const requireRoom = (): void => {
    const turns = turnsBehind(logins.size + changes.size);
    const isSoon = turns <= 1 || turns * secondsATurn <= MAX_EXPECTED_SECONDS;
    if (logins.size >= MAX_LOGINS || !isSoon) throw new Overloaded('too many passwords are waiting to be checked');
  };
  return {
    requireRoom,
    takeSlot: (isGone = () => false) => {
      requireRoom();
      return enter(logins, isGone);
    },
    takeSlotOfChange: () => {
      if (changes.size >= MAX_CHANGES) throw new Overloaded('too many passwords are waiting to be set');
      return enter(changes, () => false);
    },
    run: (slot, work) => {
      const turns = turnsBehind(queue.pendingCount);
      const joinedMs = nowMs();
      return queue(async () => {
        slot[Symbol.dispose]();
        const waitedSeconds = (nowMs() - joinedMs) / 1000;
        if (turns > 0) secondsATurn += (waitedSeconds / turns - secondsATurn) * NEWEST_WEIGHT;
        const isLate = nowMs() - slot.sinceMs > MAX_WAIT_SECONDS * 1000 && !slot.isGone();
        if (isLate) throw new Overloaded('a password has waited too long for its turn');
        return work();
      });
    },
    waiting: () => queue.pendingCount,
  };
}
