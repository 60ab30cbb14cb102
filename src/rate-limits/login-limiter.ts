/** The rate limit of logins, for a client address and the network around it. (Spec 8 and Interface 5) */
import type { Config } from '../config/config.js';
import type { Budget } from '../platform/budget.js';
import type { Clock } from '../platform/clock.js';
import { loginGroups, loginLimitOf } from './address-group.js';
import { rememberOverLimit } from './over-limit.js';
import { type Consumption, consumption, createRateLimiter, LOGIN_LIMIT_NAME, type Stores } from './rate-limiter.js';

/** Counts one login. @throws {Outage} if the store does not answer: a login is never let through uncounted */
export type CountLogin = (ipAddress: string, budget: Budget) => Promise<Consumption>;

export function createLoginLimiter(
  { rateLimit, rateWindowSeconds }: Config['login'],
  { clock, ...stores }: Stores & { clock: Clock },
): CountLogin {
  const limiter = createRateLimiter(stores, LOGIN_LIMIT_NAME, rateWindowSeconds);
  const overLimit = rememberOverLimit(clock);

  const count = async (group: string, budget: Budget): Promise<Consumption> => {
    const askedAt = clock.now();
    const counted = await limiter.within(budget).count(group);
    const state = consumption(counted, loginLimitOf(group, rateLimit));
    overLimit.learn(group, { isOver: !state.allowed, msLeft: counted.msLeft, askedAt });
    return state;
  };

  return async (ipAddress, budget) => {
    const groups = loginGroups(ipAddress);
    const msLeft = overLimit.msLeft(groups);
    if (msLeft !== undefined) return consumption({ count: rateLimit + 1, msLeft }, rateLimit);

    const [own, network] = groups;
    const ownState = await count(own, budget);
    if (network === undefined) return ownState;
    if (!ownState.allowed) {
      overLimit.notAsked(network); // so that one client alone cannot use up the limit of its network
      return ownState;
    }
    const networkState = await count(network, budget);
    return isNearer(networkState, ownState) ? networkState : ownState;
  };
}

/** True if `one` is nearer to its limit, or as near and lasts longer. */
function isNearer(one: Consumption, other: Consumption): boolean {
  if (!one.allowed) return true;
  if (one.remaining !== other.remaining) return one.remaining < other.remaining;
  return one.resetSeconds > other.resetSeconds;
}
