/** Interface 15: somebody has forgotten a password. Whether the e-mail is known, neither the answer nor its time says. */
import { eventRows, insertEvents } from '../audit/write.js';
import { sha256Hex } from '../credentials/key-secrets.js';
import { type Db, statement } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { Budget } from '../platform/budget.js';
import { createRateLimiter, type RateLimiter } from '../rate-limits/rate-limiter.js';
import type { Deps } from '../services.js';

/** Links that one e-mail may ask for in an hour, whoever asks. */
export const FORGOT_LIMIT = 3;
const WINDOW_SECONDS = 3_600;

/** Counts requests by e-mail, over all instances. */
export function createForgotLimiter(stores: Deps<'db' | 'redis'>): RateLimiter {
  return createRateLimiter(stores, 'forgot', WINDOW_SECONDS);
}

/** The row of an unknown or deactivated e-mail has no user, and costs the same. */
const requestResetSql = statement('request_reset', { email: 'text', events: 'jsonb' }, {})`
  ${insertEvents(`jsonb_set(:events, '{0,user_id}',
    coalesce((select to_jsonb(users.id) from users where email = :email and is_active), 'null'))`)}`;

/**
 * Writes the request into the audit log, which mail reads later. Beyond the limit nothing is written.
 * @param email normalised
 * @returns false beyond the limit, which the answer must not show
 * @throws {Outage} if a store does not answer
 */
export async function requestReset(
  { clock, db, limiter }: Deps<'clock'> & { db: Db; limiter: RateLimiter },
  email: string,
  { ipAddress, userAgent }: RequestOrigin,
  budget: Budget,
): Promise<boolean> {
  const { count } = await limiter.within(budget).count(sha256Hex(email));
  if (count > FORGOT_LIMIT) return false;
  const event = {
    eventType: 'password_reset_requested',
    userId: null,
    ipAddress,
    userAgent,
    metadata: { email },
  } as const;
  await db.run(requestResetSql, { email, events: eventRows([event], clock.now()) });
  return true;
}
