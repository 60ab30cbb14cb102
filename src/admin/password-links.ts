/** Links by which people set a password, so that no administrator chooses it. (Interface 11 and 15) */
import { issueLink } from '../auth/password-links.js';
import { generateLinkToken } from '../credentials/key-secrets.js';
import type { Keyring } from '../credentials/keyring/keyring.js';
import { sealSecret } from '../credentials/sealed-secret.js';
import { addressOfLink, type LinkPurpose } from '../domain/link-purpose.js';
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
  const { token, expiresAt } = await issue(deps, operator, userId, purpose);
  return { link: addressOfLink(deps.config.setPasswordUrl, token, purpose), expiresAt };
}
issuePasswordLink.needs = { scope: 'users:write' } satisfies Needs;

/** @param keyring seals the token for the mail; without one the operator gets the link */
async function issue(
  deps: Deps<'clock' | 'config' | 'db'>,
  operator: Operator,
  userId: string,
  purpose: LinkPurpose,
  keyring?: Keyring,
): Promise<{ token: string; expiresAt: Date }> {
  const { invitationSeconds, mail, resetSeconds } = deps.config;
  const token = generateLinkToken();
  let expiresAt = deps.clock.now();
  await changeUser(deps, operator, issuePasswordLink.needs, userId, async (user, { db, now }) => {
    if (keyring !== undefined && mail.kind === 'off') {
      throw new AdminRefusal('mail_off', 'Mail is off; set MAIL to have links mailed');
    }
    if (!user.isActive) throw new AdminRefusal('user_inactive', 'The user is deactivated; activate them first');
    expiresAt = addSeconds(now, purpose === 'invitation' ? invitationSeconds : resetSeconds);
    const sealed = keyring && { sealedToken: await sealSecret(keyring, userId, token, now) };
    await issueLink(db, { userId, token, purpose, expiresAt, ...sealed });
    const mailed = keyring && { mailed: true as const };
    const metadata = { purpose, expires_at: expiresAt.toISOString(), ...mailed };
    return { eventType: 'password_link_issued', userId, metadata };
  });
  return { token, expiresAt };
}

/**
 * Issues the link of a user and mails it; nobody else sees it.
 * @returns when it expires
 * @throws {AdminRefusal} as above, or `mail_off`
 */
export async function mailPasswordLink(
  deps: Deps<'clock' | 'config' | 'db'> & { keyring: Keyring },
  operator: Operator,
  userId: string,
  purpose: LinkPurpose,
): Promise<Date> {
  const { expiresAt } = await issue(deps, operator, userId, purpose, deps.keyring);
  return expiresAt;
}
mailPasswordLink.needs = issuePasswordLink.needs;
