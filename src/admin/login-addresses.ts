/** Addresses that cannot log in at present, and which of them concern a user. (Interface 9) */
import { listAuditEvents } from '../audit/log.js';
import { addSeconds } from '../platform/clock.js';
import { loginGroups, loginLimitOf } from '../rate-limits/address-group.js';
import type { LoginPolicy } from '../rate-limits/login-policy.js';
import type { Window, Windows } from '../rate-limits/windows.js';
import type { Deps } from '../services.js';

/** Number of recent logins of a user whose addresses are compared. */
const RECENT_LOGINS = 100;

/** `key` is an address, or a /64 or /48 network. */
export type LimitedAddress = Window;

export interface LimitedAddresses {
  /** Addresses with recent logins as the user, successful or not */
  ofUser: LimitedAddress[];
  others: LimitedAddress[];
}

/** True if the next login is refused. */
export function isLimited({ key, count }: Window, { rateLimit }: LoginPolicy): boolean {
  return count >= loginLimitOf(key, rateLimit);
}

/**
 * Addresses that are limited now. Their users are known only from logins whose password was checked: a login that is
 * refused because of its address writes no audit event.
 * @throws {RedisAway}
 */
export async function limitedAddresses(
  deps: Deps<'clock' | 'db'> & { windows: Windows },
  email: string,
  policy: LoginPolicy,
): Promise<LimitedAddresses> {
  const limited = (await deps.windows.list()).filter((window) => isLimited(window, policy));
  if (limited.length === 0) return { ofUser: [], others: [] };
  const since = addSeconds(deps.clock.now(), -policy.rateWindowSeconds);
  const eventTypes = ['login_failure', 'account_locked', 'login_success'] as const;
  const logins = await listAuditEvents(deps, { email, eventTypes: [...eventTypes], since }, { first: RECENT_LOGINS });
  const theirs = new Set(logins.rows.flatMap(({ row }) => loginGroups(row.ipAddress)));
  const { ofUser = [], others = [] } = Object.groupBy(limited, ({ key }) => (theirs.has(key) ? 'ofUser' : 'others'));
  return { ofUser, others };
}
