/**
 * The hash to check if no active user has the e-mail, or the user has no password. Its kind and parameters are those of
 * a user drawn by lot, so that timing does not reveal users whose hashes are of another kind or have outdated
 * parameters. (Spec 4.1 step 3)
 */
import type { Clock } from '../../platform/clock.js';
import { randomBase62 } from '../../platform/ids.js';
import { describeError, type Logger } from '../../platform/logger.js';
import type { Keyring } from '../keyring/keyring.js';
import { placeholderFor } from './hash-kinds.js';

/** Shares change slowly: users get the current parameters when they log in. */
const RECOUNT_MS = 600_000;

export interface Share {
  /** The beginning of a hash, up to its salt; empty for hashes that no login can use */
  parameters: string;
  /** Characters of its key without padding, since a longer key costs more */
  key_length: number;
  users: number;
}

export interface PlaceholderHashes {
  /** A hash that no password matches. The same e-mail gets the same parameters as long as the shares are the same. */
  hashFor(email: string): string;
  stop(): void;
}

/** @param count counts users with a password by parameters, in a fixed order; called now and every ten minutes */
export async function createPlaceholderHashes(
  { clock, keyring, log }: { clock: Clock; keyring: Keyring; log: Logger },
  count: () => Promise<Share[]>,
): Promise<PlaceholderHashes> {
  let shares: Share[] = [];
  const recount = async (): Promise<void> => {
    try {
      shares = await count();
    } catch (error) {
      log.warn({ error: describeError(error) }, 'cannot count the parameters of password hashes now');
    }
  };
  await recount();
  const timer = setInterval(recount, RECOUNT_MS);
  timer.unref();
  return {
    hashFor: (email) => {
      // Keyed: otherwise the parameters of an e-mail could be computed, and a user recognised by a different time.
      const lot = Buffer.from(keyring.inUse('refresh', clock.now()).sign(`placeholder ${email}`), 'base64url');
      return drawHash(shares, lot.readUInt32BE() / 2 ** 32);
    },
    stop: () => clearInterval(timer),
  };
}

/** Weighted choice. @param at from 0 up to 1 @returns an empty text for a hash with the current parameters */
function drawHash(shares: readonly Share[], at: number): string {
  let left = at * shares.reduce((sum, { users }) => sum + users, 0);
  for (const { parameters, key_length, users } of shares) {
    if (left < users) return parameters === '' ? '' : placeholderFor(parameters, key_length, randomBase62);
    left -= users;
  }
  return '';
}
