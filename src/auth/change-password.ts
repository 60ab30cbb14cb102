/** A user changes their own password. (Interface 15) */
import { writeAudit } from '../audit/write.js';
import type { Slot } from '../credentials/passwords/password-queue.js';
import { CURRENT_FAULT } from '../credentials/passwords/password-rules.js';
import type { AccessClaims } from '../credentials/tokens/jwt.js';
import { type Db, type RowOf, statement } from '../db/statement.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { type Refused, refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import { countFailure, isLocked, refuseLocked } from './account.js';
import { endDevices } from './known-devices.js';
import { storeChanged } from './new-password.js';
import type { Locked, RefusedPassword } from './outcomes.js';
import { revokeAll } from './revocations.js';

export interface PasswordChange {
  current_password: string;
  new_password: string;
}

/** `user_gone`: the user of the access token has been deactivated or deleted. */
export type ChangeOutcome =
  | { kind: 'changed'; sessionsEnded: number }
  | Refused<'user_gone' | 'current_password_wrong'>
  | RefusedPassword
  | Locked;

const activeUserByIdSql = statement(
  'active_user_by_id',
  { id: 'uuid' },
  { id: 'uuid', email: 'text', password_hash: 'text?', password_version: 'integer', locked_until: 'timestamptz?' },
)`
  select id, email, password_hash, password_version, locked_until from users where id = :id and is_active`;

async function findUser(db: Db, id: string): Promise<RowOf<typeof activeUserByIdSql> | undefined> {
  const [user] = await db.run(activeUserByIdSql, { id });
  return user;
}

/**
 * @param slot in the password queue, taken before the first query
 * @returns undefined if the client has disconnected before its turn: nothing was checked or changed
 * @throws {Overloaded} if too many passwords are waiting, {ClockSkewed} if this clock is wrong, {Outage} if the
 *   breached passwords cannot be read. Nothing is written then
 */
export async function changePassword(
  deps: Deps<'clock' | 'config' | 'db' | 'metrics' | 'passwordRules' | 'passwords' | 'placeholderHashes'>,
  { sub, sid }: AccessClaims,
  { current_password, new_password }: PasswordChange,
  origin: RequestOrigin,
  slot: Slot,
): Promise<ChangeOutcome | undefined> {
  const { clock, db, passwordRules, passwords, placeholderHashes } = deps;

  // 1. The active user of the access token.
  const user = await findUser(db, sub);
  if (user === undefined) return refused('user_gone');

  // 2. The rules that depend on no secret. That both passwords of the request are the same is said here: after step 4, it
  // would reveal to a thief with an access token that a guess was right, without a trace.
  const isSame = new_password === current_password;
  const fault = (await passwordRules.faultOf(new_password, user.email)) ?? (isSame ? CURRENT_FAULT : undefined);
  if (fault !== undefined) return { ...refused('body_invalid'), fault };

  // 3. Locked: refused before any password check.
  const readAt = clock.now();
  if (isLocked(user, readAt)) return refuseLocked(deps, user, origin, readAt);

  // 4. The current password. A wrong one counts as a failed login.
  const storedHash = user.password_hash ?? placeholderHashes.hashFor(user.email);
  const verdict = await passwords.verify(storedHash, current_password, slot);
  if (verdict === undefined) return undefined;
  clock.requireSynced();
  const checkedAt = clock.now();
  const failure = {
    eventType: 'password_change_failed',
    userId: user.id,
    ...origin,
    metadata: { reason: 'current_password_wrong', family_id: sid ?? null },
  } as const;
  if (!verdict.matches) {
    if (await countFailure(deps, failure, checkedAt)) return refused('current_password_wrong');
    return refuseChanged(checkedAt);
  }

  // 5. The new password. The lock is looked at again: others may have failed meanwhile.
  const password_hash = await passwords.hash(new_password);
  const now = clock.now();
  const changed = { id: user.id, password_version: user.password_version, password_hash };
  const sessionsEnded = await db.transaction(async (tx) => {
    if (!(await storeChanged(tx, changed, now))) return undefined;
    const ended = await revokeAll(tx, { userId: user.id, exceptFamilyId: sid }, 'user_password_set', now);
    await endDevices(tx, user.id);
    const metadata = { family_id: sid ?? null, sessions_ended: ended.length };
    await writeAudit(tx, [{ eventType: 'user_password_changed', userId: user.id, ...origin, metadata }], now);
    return ended.length;
  });
  return sessionsEnded === undefined ? refuseChanged(now) : { kind: 'changed', sessionsEnded };

  /** The user was locked, deactivated, deleted or given a new password after step 1. */
  async function refuseChanged(at: Date): Promise<ChangeOutcome> {
    const current = await findUser(db, sub);
    if (current === undefined) return refused('user_gone');
    if (isLocked(current, at)) return refuseLocked(deps, current, origin, at);
    await writeAudit(db, [failure], at);
    return refused('current_password_wrong');
  }
}
