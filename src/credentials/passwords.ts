/** Spec 2.5 password_hash, 4.1 step 3. The only file that imports argon2 (RFC 9106). */
import { availableParallelism } from 'node:os';
import argon2 from 'argon2';
import pLimit from 'p-limit';
import type { Argon2Parameters } from '../config.js';
import { randomBase64url } from '../platform/ids.js';
import { Outage } from '../platform/outage.js';

/** Thrown where more passwords wait to be checked than the queue holds. Answered 503. */
export class Overloaded extends Outage {
  override readonly name = 'Overloaded';
}

export interface PasswordVerdict {
  matches: boolean;
  /** A new hash of the same password, where the stored one was made with other parameters than today's. */
  renewedHash?: string;
}

export interface Passwords {
  /** Hash of a password in the PHC string format. @throws {Overloaded} */
  hash(password: string): Promise<string>;
  /**
   * Checks a password against a stored hash. Without a hash (unknown user) the same work is done on a
   * placeholder made from the live parameters, and the answer is no. @throws {Overloaded}
   */
  verify(storedHash: string | undefined, password: string): Promise<PasswordVerdict>;
  /** How many checks wait for a core. */
  waiting(): number;
}

/** Requests that may wait for a core, about five seconds of work on two cores; memory per waiter is a few KiB. */
const MAX_WAITING = 256;

/** Bounds for hashes that came from elsewhere, so that one row cannot eat the machine. */
const IMPORTED = { memoryKib: 262_144, passes: 16, lanes: 16 };

/**
 * @param threads size of libuv's thread pool, on which argon2 runs beside DNS, files and WebCrypto; one
 *   thread at least is left to those.
 * @param onHashed told of the time that each password took on its core
 */
export async function createPasswords(
  parameters: Argon2Parameters,
  threads: number,
  onHashed: (seconds: number) => void = () => undefined,
): Promise<Passwords> {
  const options = {
    type: argon2.argon2id,
    memoryCost: parameters.memoryKib,
    timeCost: parameters.passes,
    parallelism: parameters.lanes,
  } as const;
  const atOnce = Math.max(1, Math.min(availableParallelism(), threads - 1));
  const queue = pLimit(atOnce);
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.pendingCount >= MAX_WAITING) throw new Overloaded('too many passwords are waiting to be checked');
    return queue(work);
  };
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const done = await work();
    onHashed((performance.now() - startedMs) / 1000);
    return done;
  };
  const placeholderHash = await argon2.hash(randomBase64url(32), options);

  return {
    hash: async (password) => enqueue(() => timed(() => argon2.hash(password, options))),
    verify: async (storedHash, password) =>
      enqueue(async () => {
        const usable = storedHash !== undefined && isWithinBounds(storedHash, parameters);
        const matches = await timed(() => argon2.verify(usable ? storedHash : placeholderHash, password));
        if (!matches || !usable) return { matches: false };
        if (!argon2.needsRehash(storedHash, options)) return { matches };
        return { matches, renewedHash: await timed(() => argon2.hash(password, options)) };
      }),
    waiting: () => queue.pendingCount,
  };
}

/** True for an argon2id PHC string whose cost this machine is ready to pay. */
function isWithinBounds(storedHash: string, live: Argon2Parameters): boolean {
  const parts = /^\$argon2id\$v=19\$([^$]+)\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{16,}$/.exec(storedHash);
  const cost = Object.fromEntries(parts?.[1]?.split(',').map((part) => part.split('=', 2)) ?? []);
  return (
    isUpTo(Math.max(IMPORTED.memoryKib, live.memoryKib), cost.m) &&
    isUpTo(Math.max(IMPORTED.passes, live.passes), cost.t) &&
    isUpTo(Math.max(IMPORTED.lanes, live.lanes), cost.p)
  );
}

function isUpTo(most: number, text: string | undefined): boolean {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= most;
}
