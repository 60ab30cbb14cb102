/** Passwords at no cost, for tests of what happens around them; a test can hold every verification at its end. */
import { createHash } from 'node:crypto';
import type { Passwords } from '../../src/credentials/passwords.js';

export interface QuickPasswords extends Passwords {
  /** From now on verifications have their verdict but do not give it. */
  hold(): Held;
}

export interface Held {
  /** Resolves once so many verifications are held. */
  reached(count: number): Promise<void>;
  release(): void;
}

export function quickPasswords(): QuickPasswords {
  let release: Promise<void> | undefined;
  let onHeld: () => void = () => undefined;
  let held = 0;
  const hashOf = (password: string): string => createHash('sha256').update(password).digest('hex');
  return {
    hash: async (password) => hashOf(password),
    verify: async (storedHash, password) => {
      const matches = storedHash === hashOf(password);
      if (release !== undefined) {
        held += 1;
        onHeld();
        await release;
      }
      return { matches };
    },
    waiting: () => 0,
    hold: () => {
      held = 0;
      const { promise, resolve } = Promise.withResolvers<void>();
      release = promise;
      return {
        reached: (count) =>
          new Promise((done) => {
            onHeld = () => {
              if (held >= count) done();
            };
            onHeld();
          }),
        release: () => {
          release = undefined;
          resolve();
        },
      };
    },
  };
}
