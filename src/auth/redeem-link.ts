/** Sets a password by a link. (Interface 15) */
import { writeAudit } from '../audit/write.js';
import type { Slot } from '../credentials/passwords/password-queue.js';
import { CURRENT_FAULT } from '../credentials/passwords/password-rules.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import { type Refused, refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import { endDevices } from './known-devices.js';
import { storeByLink } from './new-password.js';
import type { RefusedPassword } from './outcomes.js';
import { findLinkedUser, hashOfToken } from './password-links.js';
import { revokeAll } from './revocations.js';

export interface Redemption {
  token: string;
  new_password: string;
}

export type RedeemOutcome = { kind: 'redeemed' } | Refused<'link_invalid'> | RefusedPassword;

/**
 * @param slot in the password queue, taken before the first query
 * @returns undefined if the client has disconnected before its turn: the link is alive
 * @throws {Overloaded} if too many passwords are waiting, {ClockSkewed} if this clock is wrong, {Outage} if the
 *   breached passwords cannot be read. Nothing is written then
 */
export async function redeemLink(
  { clock, db, passwordRules, passwords }: Deps<'clock' | 'db' | 'passwordRules' | 'passwords'>,
  { token, new_password }: Redemption,
  origin: RequestOrigin,
  slot: Slot,
): Promise<RedeemOutcome | undefined> {
  // 1. The user of the link.
  const tokenSha256 = hashOfToken(token);
  const user = await findLinkedUser(db, tokenSha256, clock.now());

  // 2. The rules come first, so that a refused password leaves the link alive.
  const fault = await passwordRules.faultOf(new_password, user?.email);
  if (fault !== undefined) return { ...refused('body_invalid'), fault };

  // 3. Unknown, used, replaced and expired links, and those of deactivated or deleted users: one answer, at one cost.
  if (user === undefined) return refused('link_invalid');

  // 4. Another one than the current password.
  const { id, password_hash, password_version } = user;
  if (password_hash !== null) {
    const verdict = await passwords.verify(password_hash, new_password, slot);
    if (verdict === undefined) return undefined;
    if (verdict.matches) return { ...refused('body_invalid'), fault: CURRENT_FAULT };
  }

  // 5. The new password, once; every session ends.
  const chosen = { id, password_version, password_hash: await passwords.hash(new_password) };
  clock.requireSynced();
  const now = clock.now();
  return db.transaction(async (tx) => {
    const purpose = await storeByLink(tx, chosen, tokenSha256, now);
    if (purpose === undefined) return refused('link_invalid');
    const ended = await revokeAll(tx, { userId: id }, 'user_password_set', now);
    await endDevices(tx, id);
    const first = password_hash === null && password_version === 0; // not so after an e-mail was taken back
    const metadata = { by: 'link', purpose, sessions_ended: ended.length, ...(first && { first }) } as const;
    await writeAudit(tx, [{ eventType: 'user_password_set', userId: id, ...origin, metadata }], now);
    return { kind: 'redeemed' };
  });
}
