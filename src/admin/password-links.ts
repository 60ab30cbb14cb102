/** Links by which people set a password, so that no administrator chooses it. (Interface 11 and 15) */
import { issueLink } from '../auth/password-links.js';
import type { Config } from '../config/config.js';
import { generateLinkToken } from '../credentials/key-secrets.js';
import type { Keyring } from '../credentials/keyring/keyring.js';
import { sealSecret } from '../credentials/sealed-secret.js';
import { addressOfLink, type LinkPurpose } from '../domain/link-purpose.js';
import { checkedIds } from '../listing/ids.js';
import { AdminRefusal } from '../listing/refusal.js';
import { addSeconds } from '../platform/clock.js';
import type { Deps } from '../services.js';
import { administer, type Needs, type Operator } from './administer.js';
import { changeEach, type RefusedUser } from './many-users.js';
import { changeUser, type Work } from './user-changes.js';

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
): Promise<NewLink> {
  let issued: NewLink = { token: '', expiresAt: deps.clock.now() };
  const work = issuing(deps.config, purpose, keyring, (_, link) => {
    issued = link;
  });
  await changeUser(deps, operator, issuePasswordLink.needs, userId, work);
  return issued;
}

interface NewLink {
  token: string;
  expiresAt: Date;
}

/** @param onIssued called again, with another link, if the work is repeated */
function issuing(
  { invitationSeconds, mail, resetSeconds }: Config,
  purpose: LinkPurpose,
  keyring: Keyring | undefined,
  onIssued: (userId: string, link: NewLink) => void,
): Work {
  return async ({ id: userId, isActive }, { db, now }) => {
    if (keyring !== undefined) requireMail(mail);
    if (!isActive) throw new AdminRefusal('user_inactive', 'The user is deactivated; activate them first');
    const token = generateLinkToken();
    const expiresAt = addSeconds(now, purpose === 'invitation' ? invitationSeconds : resetSeconds);
    const sealed = keyring && { sealedToken: await sealSecret(keyring, userId, token, now) };
    await issueLink(db, { userId, token, purpose, expiresAt, ...sealed });
    onIssued(userId, { token, expiresAt });
    const mailed = keyring && { mailed: true as const };
    const metadata = { purpose, expires_at: expiresAt.toISOString(), ...mailed };
    return { eventType: 'password_link_issued', userId, metadata };
  };
}

/** @throws {AdminRefusal} */
function requireMail({ kind }: Config['mail']): void {
  if (kind === 'off') throw new AdminRefusal('mail_off', 'Mail is off; set MAIL to have links mailed');
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

export interface IssuedLinks {
  /** In the order of the request; `link` is null if it is mailed */
  links: Array<{ userId: string; link: string | null; expiresAt: Date }>;
  refused: RefusedUser[];
}

/**
 * Issues a link to each of many users, and mails them or returns them.
 * @throws {AdminRefusal} `invalid_ids` or `mail_off`
 */
export async function issuePasswordLinks(
  deps: Deps<'clock' | 'config' | 'db' | 'keyring'>,
  operator: Operator,
  userIds: readonly string[],
  purpose: LinkPurpose,
  deliver: boolean,
): Promise<IssuedLinks> {
  const { config, keyring } = deps;
  checkedIds(userIds);
  return administer(deps, operator, issuePasswordLinks.needs, async (change) => {
    if (deliver) requireMail(config.mail);
    const links: IssuedLinks['links'] = [];
    const work = issuing(config, purpose, deliver ? keyring : undefined, (userId, { token, expiresAt }) => {
      links.push({ userId, link: deliver ? null : addressOfLink(config.setPasswordUrl, token, purpose), expiresAt });
    });
    const { refused } = await changeEach(change, userIds, work);
    return { links, refused };
  });
}
issuePasswordLinks.needs = issuePasswordLink.needs;
