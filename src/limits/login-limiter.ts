/** Spec 8: logins of one client address. */
import type { Config } from '../config.js';
import type { Budget } from '../platform/budget.js';
import type { Clock } from '../platform/clock.js';
import { addressGroup } from './address-group.js';
import { rememberOverLimit } from './over-limit.js';
import { type Consumption, consumption, createRateLimiter, LOGIN_LIMIT_NAME, type Stores } from './rate-limiter.js';

/** Counts one login. @throws {Outage} if it has to ask the store, and cannot: never a pass */
export type CountLogin = (ipAddress: string, budget: Budget) => Promise<Consumption>;

export function createLoginLimiter(
  { rateLimit, rateWindowSeconds }: Config['login'],
  { clock, ...stores }: Stores & { clock: Clock },
): CountLogin {
  const limiter = createRateLimiter(stores, LOGIN_LIMIT_NAME, rateWindowSeconds);
  const overLimit = rememberOverLimit(clock);
  return async (ipAddress, budget) => {
    const key = addressGroup(ipAddress);
    const msLeft = overLimit.msLeft(key);
    if (msLeft !== undefined) return consumption({ count: rateLimit + 1, msLeft }, rateLimit);
    const askedAt = clock.now();
    const counted = await limiter.within(budget).count(key);
    const state = consumption(counted, rateLimit);
    overLimit.learn(key, { isOver: !state.allowed, msLeft: counted.msLeft, askedAt });
    return state;
  };
}
