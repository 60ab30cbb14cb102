/** Addresses with counted logins, those that cannot log in at present, and which of them concern a user. (Interface 9 and 11) */
import { listAuditEvents } from '../audit/log.js';
import { DEFAULT_ROWS, MAX_ROWS, rowsRefused } from '../listing/keyset.js';
import { type Count, MAX_COUNTED } from '../listing/page.js';
import { AdminRefusal } from '../listing/refusal.js';
import { addSeconds } from '../platform/clock.js';
import { groupsNamed, loginGroups, loginLimitOf } from '../rate-limits/address-group.js';
import type { LoginPolicy } from '../rate-limits/login-policy.js';
import type { Window } from '../rate-limits/windows.js';
import type { Deps } from '../services.js';
import { administer, type Needs, type Operator } from './administer.js';

/** Number of recent logins of a user whose addresses are compared. */
const RECENT_LOGINS = 100;

/** `key` is an address, or a /64 or /48 network. */
export type LimitedAddress = Window;

export interface LimitedAddresses {
  /** Addresses with recent logins as the user, successful or not */
  ofUser: LimitedAddress[];
  others: LimitedAddress[];
}

export interface LoginAddress {
  /** An address, or a /64 or /48 network */
  ipAddress: string;
  attempts: number;
  limit: number;
  /** True if the next login is refused. */
  isLimited: boolean;
  endsAt: Date;
}

export function toLoginAddress(window: Window, policy: LoginPolicy): LoginAddress {
  const { key: ipAddress, count: attempts, endsAt } = window;
  const limit = loginLimitOf(ipAddress, policy.rateLimit);
  return { ipAddress, attempts, limit, isLimited: isLimited(window, policy), endsAt };
}

export interface LoginAddresses {
  totalCount: Count;
  limitedCount: Count;
  nodes: LoginAddress[];
}

/**
 * The addresses that are limited, then the others, most logins first. At most `MAX_COUNTED` are read.
 * @param first by default 50, at most 100
 * @throws {AdminRefusal} `invalid_page`; {RedisAway}
 */
export async function listLoginAddresses(
  { config, windows }: Deps<'config' | 'windows'>,
  first: number = DEFAULT_ROWS,
): Promise<LoginAddresses> {
  if (first < 1 || first > MAX_ROWS)
    throw new AdminRefusal('invalid_page', rowsRefused('first'), { argument: 'first' });
  const found = await windows.list(MAX_COUNTED + 1);
  const precision = found.length > MAX_COUNTED ? 'at_least' : 'exact';
  const all = found.slice(0, MAX_COUNTED).map((window) => toLoginAddress(window, config.login));
  const limited = all.filter((address) => address.isLimited);
  const nodes = [...limited, ...all.filter((address) => !address.isLimited)].slice(0, first);
  return {
    totalCount: { count: all.length, precision },
    limitedCount: { count: limited.length, precision },
    nodes,
  };
}

/**
 * Clears the login count of an address, for IPv6 also those of its /64 and /48. Account locks stay. Instances refuse from
 * memory for up to `REMEMBERED_MS` more.
 * @param ipAddress as a list names it; undefined for all
 * @returns how many counts were cleared
 * @throws {AdminRefusal} as `administer`; {RedisAway}
 */
export async function clearLoginAddress(
  deps: Deps<'clock' | 'db' | 'windows'>,
  operator: Operator,
  ipAddress: string | undefined,
): Promise<number> {
  const { needs } = clearLoginAddress;
  await administer(deps, operator, needs, async () => undefined);
  // In no transaction, because others would wait for a slow Redis too.
  const cleared = await deps.windows.clear(ipAddress === undefined ? undefined : groupsNamed(ipAddress));
  if (cleared === 0) return 0;
  const metadata = { ip_address: ipAddress ?? null, cleared };
  await administer(deps, operator, needs, ({ audit }) =>
    audit({ eventType: 'login_counts_cleared', userId: null, metadata }),
  );
  return cleared;
}
clearLoginAddress.needs = { scope: 'users:write' } satisfies Needs;

/** True if the next login is refused. */
function isLimited({ key, count }: Window, { rateLimit }: LoginPolicy): boolean {
  return count >= loginLimitOf(key, rateLimit);
}

/**
 * Addresses that are limited now. Their users are known only from logins whose password was checked: a login that is
 * refused because of its address writes no audit event.
 * @throws {RedisAway}
 */
export async function limitedAddresses(
  deps: Deps<'clock' | 'db' | 'windows'>,
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
