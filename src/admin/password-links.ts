/** Interface 11 and 15: links by which people set a password, so that no administrator chooses it. */
import { issueLink } from '../auth/password-links.js';
import { generateLinkToken } from '../credentials/key-secrets.js';
import type { LinkPurpose } from '../domain/link-purpose.js';
import { AdminRefusal } from '../listing/refusal.js';
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';
import type { Needs, Operator } from './administer.js';
import { changeUser } from './user-changes.js';

export interface IssuedLink {
  /** With its secret token, which is stored nowhere */
  link: string;
  expiresAt: Date;
}

/**
 * Issues the link of a user and ends an earlier one.
 * @throws {AdminRefusal} for an unknown or deactivated user
 */
export async function issuePasswordLink(
  deps: Deps<'clock' | 'config' | 'db'>,
  operator: Operator,
  userId: string,
  purpose: LinkPurpose,
): Promise<IssuedLink> {
  const { invitationSeconds, resetSeconds, setPasswordUrl } = deps.config;
  const token = generateLinkToken();
  let expiresAt = deps.clock.now();
  await changeUser(deps, operator, issuePasswordLink.needs, userId, async (user, { db, now }) => {
    if (!user.isActive) throw new AdminRefusal('user_inactive', 'The user is deactivated; activate them first');
    expiresAt = addSeconds(now, purpose === 'invitation' ? invitationSeconds : resetSeconds);
    await issueLink(db, { userId, token, purpose, expiresAt });
    const metadata = { purpose, expires_at: expiresAt.toISOString() };
    return { eventType: 'password_link_issued', userId, metadata };
  });
  return { link: `${setPasswordUrl}#token=${token}`, expiresAt };
}
issuePasswordLink.needs = { scope: 'users:write' } satisfies Needs;
