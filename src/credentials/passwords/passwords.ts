/** Password hashes, made by argon2id (RFC 9106), and checked by the kinds in `hash-kinds.ts`. (Spec 2.5 and 4.1 step 3) */
import { availableParallelism } from 'node:os';
import argon2 from 'argon2';
import type { Argon2Parameters } from '../../config/config.js';
import { randomBase64url } from '../../platform/ids.js';
import { NO_TRACING } from '../../platform/tracing.js';
import { costFault, isArgon2id, type KnownHash, parseHash } from './hash-kinds.js';
import { createPasswordQueue, type PasswordQueue, type Slot } from './password-queue.js';

export interface PasswordVerdict {
  matches: boolean;
  /**
   * A new hash of the same password, if the stored one has outdated parameters or is of another kind. Not if the stored one
   * compared only a part of the password: the rest may be wrong.
   */
  renewedHash?: string;
}

export interface Passwords extends Pick<PasswordQueue, 'requireRoom' | 'takeSlot' | 'waiting'> {
  /**
   * Checks a password against a stored hash. If the hash is malformed or too costly, or its library refuses it, it does the
   * same work on a placeholder with the current parameters and does not match.
   * @returns undefined if the client disconnected before its turn
   * @throws {Overloaded}
   */
  verify(storedHash: string, password: string, slot?: Slot): Promise<PasswordVerdict | undefined>;
  /** Whether a password that is to be set is the stored one. @throws {Overloaded} */
  isCurrent(storedHash: string, password: string): Promise<boolean>;
  /** Hash of a password in the PHC string format. @throws {Overloaded} */
  hash(password: string): Promise<string>;
  /** CPU time of the first hash */
  hashCpuSeconds: number;
}

/** What sets passwords needs no more. */
export type NewPasswords = Pick<Passwords, 'hash' | 'isCurrent'>;

/**
 * @param threads size of libuv's thread pool, which argon2 shares with DNS, files and WebCrypto; one thread is left to
 *   those
 * @param onHashed receives the time that each password took
 * @param onRefused receives the kind of a hash that its library refuses, and the error, which may quote the hash
 */
export async function createPasswords(
  parameters: Argon2Parameters,
  threads: number,
  onHashed: (seconds: number) => void = () => undefined,
  onRefused: (kind: string, error: unknown) => void = () => undefined,
  tracing = NO_TRACING,
): Promise<Passwords> {
  const options = {
    type: argon2.argon2id,
    memoryCost: parameters.memoryKib,
    timeCost: parameters.passes,
    parallelism: parameters.lanes,
  } as const;
  const live = { m: parameters.memoryKib, t: parameters.passes, p: parameters.lanes };
  const atOnce = Math.max(1, Math.min(availableParallelism(), threads - 1));
  // Of all threads but this one, which goes on with the start. A clock would also count a machine that is busy with it.
  const otherThreadsMicros = (): number => {
    const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
    return all.user + all.system - own.user - own.system;
  };
  const startedMicros = otherThreadsMicros();
  const placeholderHash = await argon2.hash(randomBase64url(32), options);
  const hashCpuSeconds = (otherThreadsMicros() - startedMicros) / 1e6;
  const queue = createPasswordQueue(atOnce, hashCpuSeconds);
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    const done = await work();
    onHashed((performance.now() - beganMs) / 1000);
    return done;
  };
  /** @returns undefined if its library refuses the hash */
  const verifyStored = async ({ kind, hash }: KnownHash, password: string): Promise<boolean | undefined> => {
    try {
      return await timed(() => kind.verify(hash, password));
    } catch (error) {
      onRefused(kind.name, error);
      return undefined;
    }
  };
  const { requireRoom, takeSlot, takeSlotOfChange, waiting } = queue;
  /** Its span is the wait for a core, until the event `turn`, and then the hashes. */
  const inTurn = <T>(slot: Slot, work: () => Promise<T>): Promise<T> =>
    tracing.span('hash password', 'internal', {}, (span) =>
      queue.run(slot, () => {
        span?.addEvent('turn');
        return work();
      }),
    );

  const passwords: Passwords = {
    hashCpuSeconds,
    requireRoom,
    takeSlot,
    waiting,
    verify: async (storedHash, password, slot = takeSlot()) =>
      inTurn(slot, async () => {
        if (slot.isGone()) return undefined;
        const stored = parseHash(storedHash);
        const isUsable = stored !== undefined && costFault(stored, live) === undefined;
        const matches = isUsable ? await verifyStored(stored, password) : undefined;
        if (matches === undefined) await timed(() => argon2.verify(placeholderHash, password));
        if (!isUsable || !matches) return { matches: false };
        const { comparedBytes = Number.POSITIVE_INFINITY } = stored.kind;
        // A password of just as many bytes may be the beginning of a longer one.
        const isWhole = Buffer.byteLength(password) < comparedBytes;
        if (!isWhole || (isArgon2id(stored) && !argon2.needsRehash(storedHash, options))) return { matches };
        return { matches, renewedHash: await timed(() => argon2.hash(password, options)) };
      }),
    isCurrent: async (storedHash, password) =>
      (await passwords.verify(storedHash, password, takeSlotOfChange()))?.matches === true,
    hash: async (password) => inTurn(takeSlotOfChange(), () => timed(() => argon2.hash(password, options))),
  };
  return passwords;
}
