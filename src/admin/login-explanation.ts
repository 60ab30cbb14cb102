/** Explains why a user cannot log in: each known reason with the command that fixes it. (Interface 9) */
import { type AuditRow, listAuditEvents } from '../audit/log.js';
import { ANY_COSTS, hashFault, trialFault } from '../credentials/passwords/hash-fault.js';
import { parseHash } from '../credentials/passwords/hash-kinds.js';
import { normaliseEmail } from '../domain/email.js';
import { everyRow, NO_ROWS } from '../listing/page.js';
import { isUuid } from '../platform/ids.js';
import { numberOf } from '../platform/number-of.js';
import { loginLimitOf } from '../rate-limits/address-group.js';
import { RedisAway } from '../rate-limits/windows.js';
import type { Deps } from '../services.js';
import { type Device, listDevices } from './devices.js';
import { type FormerEmail, formerEmails, type PendingEmail, pendingEmails } from './email-changes.js';
import { countRecoveryCodes, type ListedFactor, listFactors } from './factors.js';
import { type LimitedAddresses, limitedAddresses } from './login-addresses.js';
import { judgeOf, type LoginLimit, readLoginLimit } from './login-limit.js';
import { listSessions } from './sessions.js';
import { findUser, findUserId, type ListedUser, passwordHashOf, wordFor } from './users.js';

/** Number of refused logins that are reported. */
const REFUSED_LOGINS = 10;

export interface RefusalReason {
  reason:
    | 'unknown'
    | 'deleted'
    | 'inactive'
    | 'no_password'
    | 'unusable_hash'
    | 'locked'
    | 'device_locked'
    | 'address_limited';
  /** One sentence */
  message: string;
  /** The words of a command; null if no command helps */
  cure: string | null;
}

export interface LoginExplanation {
  /** Undefined if there is no such user */
  user: ListedUser | undefined;
  /** E-mail of the user, otherwise the name that was asked for */
  name: string;
  /** What prevents a login with the right password */
  reasons: RefusalReason[];
  /** Interface 16: most recently used first */
  devices: Device[];
  /** Interface 20: one of them is asked for after the password */
  factors: ListedFactor[];
  recoveryCodesLeft: number;
  /** True if the role has its scopes only after a second factor */
  isFactorRequired: boolean;
  /** Interface 21: what the user has asked for; undefined if nothing */
  pendingEmail: PendingEmail | undefined;
  /** Interface 21: reserved ones that the user had, oldest first */
  formerEmails: FormerEmail[];
  /** Newest first */
  refused: AuditRow[];
  /** Undefined if Redis is unreachable */
  limited: LimitedAddresses | undefined;
  /** By which addresses were judged */
  limit: LoginLimit;
  liveSessions: number;
}

type ExplainDeps = Deps<'clock' | 'config' | 'db' | 'windows'>;

/** @param name an e-mail or an ID */
export async function explainLogin(deps: ExplainDeps, name: string): Promise<LoginExplanation> {
  const now = deps.clock.now();
  const id = await findUserId(deps, name);
  const user = id === undefined ? undefined : await findUser(deps, id);
  const named = user?.email ?? (isUuid(name) ? name : normaliseEmail(name));
  const about = user === undefined && isUuid(name) ? { userId: name } : { email: named };
  const refused = await listAuditEvents(
    deps,
    { ...about, eventTypes: ['login_failure', 'account_locked'] },
    { first: REFUSED_LOGINS },
  );
  const limit = await readLoginLimit(deps.config);
  const limited = await limitedAddresses(deps, named, limit).catch((error: unknown) => {
    if (error instanceof RedisAway) return undefined;
    throw error;
  });
  const devices = user === undefined ? [] : ((await listDevices(deps.db.admin, [user.id])).get(user.id) ?? []);
  const ofAccount =
    user === undefined
      ? await reasonOfMissing(deps, about)
      : reasonsOfUser(user, await findHashFault(deps, user), devices, now);
  return {
    user,
    name: named,
    devices,
    ...(await factorsOf(deps, user)),
    pendingEmail: user && (await pendingEmails(deps.db.admin, [user.id], now)).get(user.id),
    formerEmails: user === undefined ? [] : await formerEmails(deps.db.admin, { userId: user.id }, now),
    reasons: [...ofAccount, ...reasonsOfAddresses(limited, limit)],
    refused: refused.rows.map(({ row }) => row),
    limited,
    limit,
    liveSessions: user === undefined ? 0 : await countLiveSessions(deps, user.id, now),
  };
}

async function factorsOf(
  { config, db }: ExplainDeps,
  user: ListedUser | undefined,
): Promise<Pick<LoginExplanation, 'factors' | 'recoveryCodesLeft' | 'isFactorRequired'>> {
  if (user === undefined) return { factors: [], recoveryCodesLeft: 0, isFactorRequired: false };
  const { id, role } = user;
  return {
    factors: (await listFactors(db.admin, [id])).get(id) ?? [],
    recoveryCodesLeft: (await countRecoveryCodes(db.admin, [id])).get(id) ?? 0,
    isFactorRequired: config.secondFactorRoles.includes(role),
  };
}

/** The user was deleted, or never existed. */
async function reasonOfMissing(
  deps: ExplainDeps,
  about: { email: string } | { userId: string },
): Promise<RefusalReason[]> {
  const { rows } = await listAuditEvents(deps, { ...about, eventTypes: ['user_deleted'] }, { first: 1 });
  const [deleted] = rows.map(({ row }) => row);
  if (deleted !== undefined) {
    return [{ reason: 'deleted', message: `The user was deleted at ${timeOf(deleted.createdAt)}.`, cure: null }];
  }
  if (!('email' in about)) return [{ reason: 'unknown', message: 'There is no user with this ID.', cure: 'user list' }];
  const message = 'There is no user with this e-mail.';
  const [reserved] = await formerEmails(deps.db.admin, about, deps.clock.now());
  if (reserved === undefined) return [{ reason: 'unknown', message, cure: 'user list' }];
  const { userId, expiresAt } = reserved;
  const until = `Until ${timeOf(expiresAt)} it is reserved for a user who had it.`;
  return [{ reason: 'unknown', message: `${message} ${until}`, cure: `user explain ${userId}` }];
}

/** Sentences on a stored hash that no login can use, since the row may have any text. They never repeat it. */
async function findHashFault({ db }: ExplainDeps, { id }: ListedUser): Promise<string | undefined> {
  const hash = await passwordHashOf(db.admin, id);
  if (hash === null) return undefined;
  const known = parseHash(hash);
  const fault = hashFault(hash) ?? (known && (await trialFault(known)));
  if (fault === undefined) return undefined;
  const isOfLargerCosts = hashFault(hash) !== undefined && hashFault(hash, ANY_COSTS) === undefined;
  const who = isOfLargerCosts ? 'Only a gateway whose own ARGON2_… are as high' : 'No login';
  return `The stored password hash ${fault}. ${who} can use it.`;
}

/** Devices stay stored if the variable is unset later, and a command may have others than the gateway. */
const IF_KNOWN = 'if the gateway has KNOWN_DEVICES=on';

function reasonsOfUser(
  user: ListedUser,
  hashFault: string | undefined,
  devices: readonly Device[],
  now: Date,
): RefusalReason[] {
  const { failedLoginAttempts, hasPassword, isActive, lockedUntil } = user;
  const found: RefusalReason[] = [];
  if (!isActive) {
    found.push({ reason: 'inactive', message: 'The user is deactivated.', cure: `user activate ${wordFor(user)}` });
  }
  if (!hasPassword) {
    const message = 'The user has not set a password yet.';
    found.push({ reason: 'no_password', message, cure: `user reset-link ${wordFor(user)}` });
  }
  if (hashFault !== undefined) {
    found.push({ reason: 'unusable_hash', message: hashFault, cure: `user reset-link ${wordFor(user)}` });
  }
  if (lockedUntil !== null && lockedUntil > now) {
    const until = `The account is locked until ${timeOf(lockedUntil)} after ${failedLoginAttempts} failed logins, even for the right password`;
    const open = devices.filter((device) => !isLocked(device, now)).length;
    const except = open > 0 ? `; not on ${numberOf(open, 'known device')}, ${IF_KNOWN}` : '';
    found.push({ reason: 'locked', message: `${until}${except}.`, cure: `user unlock ${wordFor(user)}` });
  }
  for (const device of devices.filter((candidate) => isLocked(candidate, now))) {
    const { failedLoginAttempts, lockedUntil, userAgent } = device;
    const message = `The known device ${device.id}${userAgent && ` (${userAgent})`} is locked until ${timeOf(lockedUntil ?? now)} after ${failedLoginAttempts} failed logins, ${IF_KNOWN}.`;
    found.push({ reason: 'device_locked', message, cure: `user unlock ${wordFor(user)}` });
  }
  return found;
}

function isLocked({ lockedUntil }: Device, now: Date): boolean {
  return lockedUntil !== null && lockedUntil > now;
}

function reasonsOfAddresses(limited: LimitedAddresses | undefined, limit: LoginLimit): RefusalReason[] {
  return (limited?.ofUser ?? []).map(({ key, count, endsAt }) => ({
    reason: 'address_limited',
    message: `By ${judgeOf(limit)}, logins of all users from ${key} are refused until ${timeOf(endsAt)}: ${count} were counted, and ${loginLimitOf(key, limit.rateLimit)} are allowed.`,
    cure: `rate-limit clear --ip ${key}`,
  }));
}

async function countLiveSessions(deps: ExplainDeps, id: string, now: Date): Promise<number> {
  const live = await everyRow(
    async (page) => (await listSessions(deps.db, [id], { ...page, live: true }, now)).get(id) ?? NO_ROWS,
  );
  return live.length;
}

function timeOf(instant: Date): string {
  return instant.toISOString().replace(/\.\d+Z$/, 'Z');
}
