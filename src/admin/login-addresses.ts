/** Interface 9: which addresses may not log in at present, and which of them concern a user. */

import { listAuditEvents } from '../audit/log.js';
import type { Config } from '../config/config.js';
import { addSeconds } from '../platform/clock.js';
import { loginGroups, loginLimitOf } from '../rate-limits/address-group.js';
import type { Window, Windows } from '../rate-limits/windows.js';
import type { Deps } from '../services.js';

/** Logins of a user that are looked at for their addresses. */
const LOOKED_AT = 100;

/** The address, or of several their /64 or /48, is the key. */
export type LimitedAddress = Window;

export interface LimitedAddresses {
  /** From which somebody has lately tried to log in as the user, with or without success */
  ofUser: LimitedAddress[];
  others: LimitedAddress[];
}

/** True where the next login from there is refused. */
export function isLimited({ key, count }: Window, { login }: Pick<Config, 'login'>): boolean {
  return count >= loginLimitOf(key, login.rateLimit);
}

/**
 * Addresses that are limited now. The audit log tells whose logins they were, as far as these came to a check of the
 * password: a request that is refused for its address leaves no event.
 * @throws as `Windows` does
 */
export async function limitedAddresses(
  deps: Deps<'clock' | 'config' | 'db'> & { windows: Windows },
  email: string,
): Promise<LimitedAddresses> {
  const limited = (await deps.windows.list()).filter((window) => isLimited(window, deps.config));
  if (limited.length === 0) return { ofUser: [], others: [] };
  const since = addSeconds(deps.clock.now(), -deps.config.login.rateWindowSeconds);
  const eventTypes = ['login_failure', 'account_locked', 'login_success'] as const;
  const logins = await listAuditEvents(deps, { email, eventTypes: [...eventTypes], since }, { first: LOOKED_AT });
  const theirs = new Set(logins.rows.flatMap(({ row }) => loginGroups(row.ipAddress)));
  const { ofUser = [], others = [] } = Object.groupBy(limited, ({ key }) => (theirs.has(key) ? 'ofUser' : 'others'));
  return { ofUser, others };
}
