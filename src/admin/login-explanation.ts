/** Interface 9: why somebody cannot log in: everything that is known of it, each reason with its cure. */

import { type AuditRow, listAuditEvents } from '../audit/log.js';
import type { Config } from '../config/config.js';
import { normaliseEmail } from '../domain/email.js';
import { everyRow } from '../listing/page.js';
import { isUuid } from '../platform/ids.js';
import { loginLimitOf } from '../rate-limits/address-group.js';
import { RedisAway, type Windows } from '../rate-limits/windows.js';
import type { Deps } from '../services.js';
import { type LimitedAddresses, limitedAddresses } from './login-addresses.js';
import { listSessions } from './sessions.js';
import { findUser, findUserId, type ListedUser } from './users.js';

/** Refused logins that are told, the newest ones. */
const TOLD = 10;

export interface Hindrance {
  reason: 'unknown' | 'deleted' | 'inactive' | 'locked' | 'address_limited';
  /** One sentence */
  message: string;
  /** The words of a command; null where none helps */
  cure: string | null;
}

export interface LoginExplanation {
  /** Undefined where there is none */
  user: ListedUser | undefined;
  /** As it was asked for, or of the user */
  name: string;
  /** What keeps them from logging in now; none where nothing does but a wrong password */
  hindrances: Hindrance[];
  /** Newest first */
  refused: AuditRow[];
  /** Undefined where the store of the limits is away */
  limited: LimitedAddresses | undefined;
  liveSessions: number;
}

type ExplainDeps = Deps<'clock' | 'config' | 'db'> & { windows: Windows };

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
    { first: TOLD },
  );
  const limited = await limitedAddresses(deps, named).catch((error: unknown) => {
    if (error instanceof RedisAway) return undefined;
    throw error;
  });
  const ofAccount = user === undefined ? await missing(deps, about) : ofUser(user, now);
  return {
    user,
    name: named,
    hindrances: [...ofAccount, ...ofAddresses(limited, deps.config)],
    refused: refused.rows.map(({ row }) => row),
    limited,
    liveSessions: user === undefined ? 0 : await countLiveSessions(deps, user.id, now),
  };
}

/** Of nobody: there has been such a user, or there has not. */
async function missing(deps: ExplainDeps, about: { email: string } | { userId: string }): Promise<Hindrance[]> {
  const { rows } = await listAuditEvents(deps, { ...about, eventTypes: ['user_deleted'] }, { first: 1 });
  const [deleted] = rows.map(({ row }) => row);
  if (deleted !== undefined) {
    return [{ reason: 'deleted', message: `The user was deleted at ${timeOf(deleted.createdAt)}.`, cure: null }];
  }
  const what = 'email' in about ? 'e-mail' : 'ID';
  return [{ reason: 'unknown', message: `There is no user with this ${what}.`, cure: 'user list' }];
}

function ofUser(user: ListedUser, now: Date): Hindrance[] {
  const { failedLoginAttempts, isActive, lockedUntil } = user;
  const found: Hindrance[] = [];
  if (!isActive) {
    found.push({ reason: 'inactive', message: 'The user is deactivated.', cure: `user activate ${wordFor(user)}` });
  }
  if (lockedUntil !== null && lockedUntil > now) {
    const message = `The account is locked until ${timeOf(lockedUntil)} after ${failedLoginAttempts} failed logins, also for the right password.`;
    found.push({ reason: 'locked', message, cure: `user unlock ${wordFor(user)}` });
  }
  return found;
}

function ofAddresses(limited: LimitedAddresses | undefined, { login }: Config): Hindrance[] {
  return (limited?.ofUser ?? []).map(({ key, count, endsAt }) => ({
    reason: 'address_limited',
    message: `Logins from ${key} are refused until ${timeOf(endsAt)}, whoever they are of: ${count} came from there, and ${loginLimitOf(key, login.rateLimit)} may.`,
    cure: `rate-limit clear --ip ${key}`,
  }));
}

async function countLiveSessions(deps: ExplainDeps, id: string, now: Date): Promise<number> {
  const none = { rows: [], hasNextPage: false };
  const live = await everyRow(
    async (page) => (await listSessions(deps.db, [id], { ...page, live: true }, now)).get(id) ?? none,
  );
  return live.length;
}

/** For a shell: an e-mail may hold what it would take for more than a word. */
export function wordFor({ email, id }: Pick<ListedUser, 'email' | 'id'>): string {
  return /^[\w.@+-]+$/.test(email) ? email : id;
}

function timeOf(instant: Date): string {
  return instant.toISOString().replace(/\.\d+Z$/, 'Z');
}
