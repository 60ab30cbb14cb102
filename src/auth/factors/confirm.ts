/** The user of a session proves again who they are. (Interface 20) */
import { writeAudit } from '../../audit/write.js';
import { credentialIdOf } from '../../credentials/factors/passkey-response.js';
import type { Slot } from '../../credentials/passwords/password-queue.js';
import type { AccessClaims } from '../../credentials/tokens/jwt.js';
import type { FactorKind } from '../../domain/factors.js';
import type { RequestOrigin } from '../../domain/request-origin.js';
import { addSeconds } from '../../platform/clock.js';
import { type Refused, refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import { countFailure, isLocked, refuseLocked } from '../account.js';
import type { Locked } from '../outcomes.js';
import { beginCeremony, CEREMONY_SECONDS, newToken, takeCeremony } from './ceremonies.js';
import { lockUser, readSession, type SessionGone, type SessionUser } from './fresh.js';
import { type FactorDeps, optionsOf, type PasskeyOptions } from './login.js';
import { checkCode, checkPasskey, type Proof } from './proofs.js';
import { findPasskeys } from './rows.js';
import { proveSession, takeFactor } from './sessions.js';

export type ConfirmDeps = FactorDeps & Deps<'passwords' | 'placeholderHashes'>;

export type Confirmation = { password: string } | { code: string } | { ceremony: string; credential: unknown };

export type ConfirmOutcome =
  | { kind: 'confirmed'; accessToken: string }
  | Refused<'factor_wrong' | 'second_factor_required' | 'challenge_invalid'>
  | SessionGone
  | Locked;

/** What was right. A password is checked only for users without a factor. */
type Right = { by: 'password' } | { by: FactorKind; proof: Proof<FactorKind> };

/**
 * A wrong password or code is a failed login of the account; a wrong passkey counts for the address alone.
 * @param slot in the password queue, for a password
 * @returns undefined if the client has disconnected before its turn: nothing was checked
 * @throws {Overloaded} if too many passwords are waiting, {ClockSkewed} if this clock is wrong
 */
export async function confirm(
  deps: ConfirmDeps,
  claims: AccessClaims,
  presented: Confirmation,
  origin: RequestOrigin,
  slot?: Slot,
): Promise<ConfirmOutcome | undefined> {
  const { clock, db, metrics } = deps;
  const session = await readSession(deps, claims);
  if (session === undefined) return refused('user_gone');
  const { user } = session;
  if ('password' in presented && user.has_factors) return refused('second_factor_required');
  const kind = kindOf(presented);
  const readAt = clock.now();
  if (isLocked(user, readAt)) return refuse('account_locked');

  const right = await check(deps, session, presented, slot);
  if (right === undefined || right === 'challenge_invalid') return right && refused(right);
  clock.requireSynced();
  if (right === 'wrong') return refuse('wrong');
  const noted = await note(deps, session, right, origin);
  if (typeof noted === 'string') return refuse(noted);
  if (noted.kind === 'confirmed' && kind !== undefined) metrics.factors.inc({ kind, outcome: 'success' });
  return noted;

  /** A wrong passkey counts for nobody; of the others, what is not counted was locked, changed or gone meanwhile. */
  async function refuse(why: 'wrong' | 'changed' | 'account_locked'): Promise<ConfirmOutcome> {
    const now = clock.now();
    const metadata = { reason: 'invalid_credentials', email: user.email, ...(kind && { factor: kind }) } as const;
    const failure = { eventType: 'login_failure', userId: user.id, ...origin, metadata } as const;
    if (kind !== undefined && why !== 'changed') metrics.factors.inc({ kind, outcome: why });
    if (why === 'wrong' && kind !== 'passkey' && (await countFailure(deps, failure, now)))
      return refused('factor_wrong');
    const current = await readSession(deps, claims);
    if (current === undefined) return refused('user_gone');
    if (isLocked(current.user, now)) return refuseLocked(deps, current.user, origin, now);
    if (kind === undefined && current.user.has_factors) return refused('second_factor_required');
    await writeAudit(db, [failure], now);
    return refused('factor_wrong');
  }
}

function kindOf(presented: Confirmation): FactorKind | undefined {
  if ('password' in presented) return undefined;
  return 'code' in presented ? 'totp' : 'passkey';
}

async function check(
  deps: ConfirmDeps,
  { user, familyId }: SessionUser,
  presented: Confirmation,
  slot: Slot | undefined,
): Promise<Right | 'wrong' | 'challenge_invalid' | undefined> {
  const { clock, db, passwords, placeholderHashes } = deps;
  if ('password' in presented) {
    const stored = user.password_hash ?? placeholderHashes.hashFor(user.email);
    const verdict = await passwords.verify(stored, presented.password, slot);
    return verdict && (verdict.matches ? { by: 'password' } : 'wrong');
  }
  if ('code' in presented) {
    const proof = await checkCode(deps, user.id, presented.code);
    return proof === undefined ? 'wrong' : { by: 'totp', proof };
  }
  const { ceremony: token, credential } = presented;
  const bound = { token, purpose: 'confirmation', userId: user.id, familyId } as const;
  if ((await takeCeremony(db, bound, clock.now())) === undefined) return 'challenge_invalid';
  const id = credentialIdOf(credential);
  const passkey = (await findPasskeys(db, user.id)).find(({ credentialId }) => credentialId === id);
  const proof = passkey && (await checkPasskey(deps, credential, token, passkey, 'optional'));
  return proof === undefined ? 'wrong' : { by: 'passkey', proof };
}

/**
 * Uses the factor up and notes the proof, in one transaction under the lock of the user.
 * @returns the new access token; `changed` if the user was locked or changed since it was checked, `wrong` if the code has been
 *   used since
 */
async function note(
  { clock, db, tokens }: ConfirmDeps,
  { user: checked, familyId }: SessionUser,
  right: Right,
  origin: RequestOrigin,
): Promise<{ kind: 'confirmed'; accessToken: string } | SessionGone | 'changed' | 'wrong'> {
  const isByFactor = right.by !== 'password';
  return db.transaction(async (tx) => {
    const now = clock.now();
    const user = await lockUser(tx, checked.id);
    if (user === undefined) return refused('user_gone');
    const isSame = user.password_version === checked.password_version && user.has_factors === isByFactor;
    if (!isSame || isLocked(user, now)) return 'changed';
    if (isByFactor && !(await takeFactor(tx, user.id, right.proof.used, now))) return 'wrong';
    const methods = isByFactor ? right.proof.methods : null;
    const proved = await proveSession(tx, { familyId, userId: user.id }, methods, now);
    if (proved === undefined) return refused('user_gone');
    const metadata = { family_id: familyId, ...(isByFactor && { factor: right.by }) };
    await writeAudit(tx, [{ eventType: 'session_confirmed', userId: user.id, ...origin, metadata }], now);
    const { session_started_at: startedAt, amr } = proved;
    const said = { sub: user.id, role: user.role, sid: familyId, startedAt, amr, provedAt: now };
    return { kind: 'confirmed', accessToken: tokens.issueAccessToken(said, now) };
  });
}

/** Options for one of the caller's own passkeys. */
export async function beginConfirmation(
  deps: ConfirmDeps,
  claims: AccessClaims,
): Promise<PasskeyOptions | SessionGone | Refused<'factor_unknown'>> {
  const { clock, config, db } = deps;
  const session = await readSession(deps, claims);
  if (session === undefined) return refused('user_gone');
  const { user, familyId } = session;
  const passkeys = user.has_factors ? await findPasskeys(db, user.id) : [];
  if (passkeys.length === 0) return refused('factor_unknown');
  const token = newToken();
  const expiresAt = addSeconds(clock.now(), CEREMONY_SECONDS);
  await beginCeremony(db, { token, purpose: 'confirmation', user, familyId, expiresAt });
  return optionsOf(config, token, passkeys);
}
