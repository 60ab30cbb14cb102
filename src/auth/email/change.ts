/** A user changes their own e-mail, and the former address takes it back. (Interface 21) */
import { writeAudit } from '../../audit/write.js';
import { generateEmailToken } from '../../credentials/key-secrets.js';
import { sealSecret } from '../../credentials/sealed-secret.js';
import type { AccessClaims } from '../../credentials/tokens/jwt.js';
import type { RequestOrigin } from '../../domain/request-origin.js';
import { addSeconds } from '../../platform/clock.js';
import { uuidInTimeOrder } from '../../platform/ids.js';
import { type Refused, refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import { changeOwn, lockUser, readSession, type SessionGone, type Stale } from '../factors/fresh.js';
import { endCeremonies } from '../factors/rows.js';
import { endDevices } from '../known-devices.js';
import type { EmailRefusal } from '../outcomes.js';
import { hashOfToken } from '../password-links.js';
import { revokeAll } from '../revocations.js';
import {
  beginEmailChange,
  CHANGE_SECONDS,
  findUndoOwner,
  hasEmailChange,
  momentOfChange,
  takeEmailChange,
  takeUndo,
  UNDO_SECONDS,
} from './rows.js';

type EmailDeps = Deps<'clock' | 'db' | 'keyring'>;

/**
 * Notes what the user wants. Mail reads the event, and sends the link unless the address is taken: so all addresses cost the
 * same here.
 * @param email normalised
 */
export async function requestEmailChange(
  deps: EmailDeps,
  claims: AccessClaims,
  email: string,
  origin: RequestOrigin,
): Promise<{ kind: 'requested' } | Stale | SessionGone> {
  const token = generateEmailToken('change');
  const sealedToken = await sealSecret(deps.keyring, claims.sub, token, deps.clock.now());
  return changeOwn(deps, claims, { fresh: true }, async ({ user, familyId }, tx, now) => {
    const expiresAt = addSeconds(now, CHANGE_SECONDS);
    await beginEmailChange(tx, { user, tokenSha256: hashOfToken(token), email, expiresAt, sealedToken });
    const metadata = { to: email, family_id: familyId };
    await writeAudit(tx, [{ eventType: 'email_change_requested', userId: user.id, ...origin, metadata }], now);
    return { kind: 'requested' };
  });
}

/** The link to the new address, opened by the user who asked for it. Sessions stay. */
export async function redeemEmailChange(
  deps: EmailDeps,
  claims: AccessClaims,
  token: string,
  origin: RequestOrigin,
): Promise<{ kind: 'changed'; email: string } | Stale | SessionGone | Refused<EmailRefusal>> {
  const tokenSha256 = hashOfToken(token);
  // A dead link does not wait for the turn, nor makes others wait.
  if (!(await hasEmailChange(deps.db, claims.sub, tokenSha256, deps.clock.now()))) {
    return refused((await readSession(deps, claims)) === undefined ? 'user_gone' : 'link_invalid');
  }
  const undoToken = generateEmailToken('undo');
  return changeOwn(deps, claims, { fresh: false, inTurn: true }, async ({ user, familyId }, tx, now) => {
    const changedAt = await momentOfChange(tx, user.id, now);
    const id = uuidInTimeOrder(changedAt);
    const sealedToken = await sealSecret(deps.keyring, id, undoToken, now);
    const expiresAt = addSeconds(changedAt, UNDO_SECONDS);
    const undo = { id, tokenSha256: hashOfToken(undoToken), sealedToken, expiresAt };
    const taken = await takeEmailChange(tx, { user, tokenSha256, undo, now });
    if (taken === undefined) return refused('link_invalid');
    if (taken.is_taken) return refused('email_taken');
    const metadata = { from: taken.former, to: taken.email, family_id: familyId };
    await writeAudit(tx, [{ eventType: 'email_changed', userId: user.id, ...origin, metadata }], now);
    return { kind: 'changed', email: taken.email };
  });
}

/**
 * The link to the former address, opened by anybody: the address comes back, and everything ends that who changed it may hold.
 * The request for a new password, which is written too, mails the link for it.
 */
export async function undoEmailChange(
  { clock, db }: Deps<'clock' | 'db'>,
  token: string,
  origin: RequestOrigin,
): Promise<{ kind: 'undone' } | Refused<EmailRefusal>> {
  clock.requireSynced();
  const tokenSha256 = hashOfToken(token);
  if ((await findUndoOwner(db, tokenSha256, clock.now())) === undefined) return refused('link_invalid');
  return db.change(async ({ db: tx }) => {
    const now = clock.now();
    const userId = await findUndoOwner(tx, tokenSha256, now);
    if (userId === undefined || (await lockUser(tx, userId)) === undefined) return refused('link_invalid');
    const undone = await takeUndo(tx, { userId, tokenSha256, now });
    if (undone === undefined) return refused('link_invalid');
    if (undone.is_taken) return refused('email_taken');
    const ended = await revokeAll(tx, { userId }, 'email_change_undone', now);
    await endDevices(tx, userId);
    await endCeremonies(tx, userId);
    const about = { userId, ...origin };
    const metadata = { from: undone.email, to: undone.former, sessions_ended: ended.length };
    await writeAudit(
      tx,
      [
        { eventType: 'email_change_undone', ...about, metadata },
        { eventType: 'password_reset_requested', ...about, metadata: { email: undone.former } },
      ],
      now,
    );
    return { kind: 'undone' };
  });
}
