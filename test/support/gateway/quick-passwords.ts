/** Passwords at no cost, for tests of what happens around them; a test can hold every verification at its end. */
import { createHash } from 'node:crypto';
import type { Passwords } from '../../../src/credentials/passwords/passwords.js';

export interface QuickPasswords extends Passwords {
  /** From now on verifications of logins have their verdict but do not give it. */
  hold(): Held;
}

/** Ends with its scope at the latest, so that a test that fails leaves nobody waiting. */
export interface Held extends Disposable {
  /** Resolves once so many verifications are held. */
  reached(count: number): Promise<void>;
  release(): void;
}

export function quickPasswords(): QuickPasswords {
  let released: Promise<void> | undefined;
  let onHeld: () => void = () => undefined;
  let held = 0;
  const hashOf = (password: string): string => createHash('sha256').update(password).digest('hex');
  return {
    requireRoom: () => undefined,
    takeSlot: (isGone = () => false) => ({ isGone, sinceMs: 0, [Symbol.dispose]: () => undefined }),
    isCurrent: async (storedHash, password) => storedHash === hashOf(password),
    hash: async (password) => hashOf(password),
    verify: async (storedHash, password) => {
      const matches = storedHash === hashOf(password);
      if (released !== undefined) {
        held += 1;
        onHeld();
        await released;
      }
      return { matches };
    },
    hashCpuSeconds: 0.001,
    waiting: () => 0,
    hold: () => {
      held = 0;
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      const release = (): void => {
        released = undefined;
        resolve();
      };
      return {
        reached: (count) =>
          new Promise((done) => {
            onHeld = () => {
              if (held >= count) done();
            };
            onHeld();
          }),
        release,
        [Symbol.dispose]: release,
      };
    },
  };
}
