/** Spec 8 and Interface 5: logins of one client address, and of the network around it. */
import type { Config } from '../config/config.js';
import type { Budget } from '../platform/budget.js';
import type { Clock } from '../platform/clock.js';
import { loginGroups, loginLimitOf } from './address-group.js';
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
    const ofOwn = await count(own, budget);
    if (network === undefined) return ofOwn;
    if (!ofOwn.allowed) {
      overLimit.notAsked(network); // one client alone cannot use up what its network has
      return ofOwn;
    }
    const ofNetwork = await count(network, budget);
    return isNearer(ofNetwork, ofOwn) ? ofNetwork : ofOwn;
  };
}

/** To its end. If both are as near, the one that takes longer. */
function isNearer(one: Consumption, other: Consumption): boolean {
  if (!one.allowed) return true;
  if (one.remaining !== other.remaining) return one.remaining < other.remaining;
  return one.resetSeconds > other.resetSeconds;
}
