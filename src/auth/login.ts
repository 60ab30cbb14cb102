/** Spec 4.1: login. Steps are numbered as in the specification. */

import { writeAudit } from '../audit/events.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import type { Client } from '../remote-client.js';
import { countFailure, findActiveUser, isLocked } from './account.js';
import type { AuthDependencies } from './dependencies.js';
import { type Granted, type Refused, refused } from './outcomes.js';
import { startSession } from './sessions.js';

export interface Credentials {
  /** Normalised: stripped and lowercased (Spec 2.1) */
  email: string;
  password: string;
}

/** @throws {Overloaded} where too many passwords wait to be checked; then nothing is written */
export async function login(
  deps: AuthDependencies,
  { email, password }: Credentials,
  client: Client,
): Promise<Granted | Refused> {
  const { clock, config, db, passwords, tokens } = deps;

  // 1. The active user with this e-mail.
  const user = await findActiveUser(db.sql, email);

  // 2. Locked: refused before any password check.
  if (user !== undefined && isLocked(user, clock.now())) return refuseLocked(deps, user.id, user.locked_until, client);

  // 3. The password, or the same work on the placeholder. It takes a while: what follows looks at the user again.
  const { matches, renewedHash } = await passwords.verify(user?.password_hash, password);
  const now = clock.now();

  if (user !== undefined && matches) {
    // 5. and 6. Reset the failures; new jti, new family, record, audit.
    const jti = uuidInTimeOrder(now);
    const familyId = uuidInTimeOrder(now);
    const record = { jti, expiresAt: tokens.refreshTokenExpiry(now), client };
    const role = await startSession(db.sql, user, familyId, record, renewedHash, now);
    if (role !== undefined) {
      return {
        kind: 'granted',
        accessToken: await tokens.issueAccessToken({ sub: user.id, role, sid: familyId }, now),
        refreshToken: await tokens.issueRefreshToken({ sub: user.id, sid: familyId, jti }, now),
      };
    }
  } else {
    // 4. Count the failure, lock at the maximum, audit.
    if (await countFailure(db.sql, failureOf(user?.id ?? null, email, client), config.login, now)) {
      return refused('invalid_credentials');
    }
  }

  // The user was changed while the password was checked: locked by others (429, also for the right password),
  // or deactivated, removed or given a new password (401).
  const changed = await findActiveUser(db.sql, email);
  if (changed !== undefined && isLocked(changed, now))
    return refuseLocked(deps, changed.id, changed.locked_until, client);
  await writeAudit(db.sql, [failureOf(user?.id ?? null, email, client)], now);
  return refused('invalid_credentials');
}

function failureOf(userId: string | null, email: string, client: Client) {
  const metadata = { reason: 'invalid_credentials', email } as const;
  return { eventType: 'login_failure', userId, ...client, metadata } as const;
}

async function refuseLocked(
  deps: AuthDependencies,
  userId: string,
  lockedUntil: Date,
  client: Client,
): Promise<Refused> {
  const metadata = { locked_until: lockedUntil.toISOString() };
  await writeAudit(deps.db.sql, [{ eventType: 'account_locked', userId, ...client, metadata }], deps.clock.now());
  return refused('account_locked');
}
