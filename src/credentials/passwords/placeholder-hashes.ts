/**
 * Spec 4.1 step 3: what a password is checked against where no active user has the e-mail. It takes as long as the hash
 * of a user drawn by lot, so that time does not tell users whose hashes have other parameters than today's.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.js';
import { describeError, type Logger } from '../../platform/logger.js';
import type { Keyring } from '../keyring/keyring.js';

/** Users get today's parameters when they log in, so shares change slowly: milliseconds. */
const COUNT_AGAIN_MS = 600_000;

/** The beginning of a hash in the PHC string format, up to its salt, and how many users have it. */
export interface Share {
  parameters: string;
  users: number;
}

export interface PlaceholderHashes {
  /** A hash that no password matches. An e-mail has the same parameters while the shares are the same. */
  hashFor(email: string): string;
  stop(): void;
}

/** @param count which parameters users have, in a fixed order; it is asked now and every ten minutes */
export async function createPlaceholderHashes(
  { clock, keyring, log }: { clock: Clock; keyring: Keyring; log: Logger },
  count: () => Promise<Share[]>,
): Promise<PlaceholderHashes> {
  const saltAndHash = `${randomBase64(16)}$${randomBase64(32)}`;
  let shares: Share[] = [];
  const countAgain = async (): Promise<void> => {
    try {
      shares = await count();
    } catch (error) {
      log.warn({ error: describeError(error) }, 'which parameters password hashes have cannot be counted now');
    }
  };
  await countAgain();
  const timer = setInterval(countAgain, COUNT_AGAIN_MS);
  timer.unref();
  return {
    hashFor: (email) => {
      // Whoever could draw the lot of an e-mail would know by another time that somebody has it: so it takes a key.
      const lot = Buffer.from(keyring.inUse('refresh', clock.now()).sign(`placeholder ${email}`), 'base64url');
      return `${drawn(shares, lot.readUInt32BE() / 2 ** 32)}${saltAndHash}`;
    },
    stop: () => clearInterval(timer),
  };
}

/** @param at from 0 up to 1, on a line on which each share is as long as it is large */
function drawn(shares: readonly Share[], at: number): string {
  let left = at * shares.reduce((sum, { users }) => sum + users, 0);
  for (const { parameters, users } of shares) {
    if (left < users) return parameters;
    left -= users;
  }
  return '';
}

/** As the PHC string format has it: without padding. */
function randomBase64(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '');
}
