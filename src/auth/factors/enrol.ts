/** A user adds and removes their own factors, and renews their recovery codes. (Interface 20) */
import { randomBytes } from 'node:crypto';
import { writeAudit } from '../../audit/write.js';
import { newRecoveryCodes, recoveryCodeSha256 } from '../../credentials/factors/recovery-codes.js';
import { matchingStep, newTotpSecret, totpUri } from '../../credentials/factors/totp.js';
import { openSealedSecret, sealSecret } from '../../credentials/sealed-secret.js';
import type { AccessClaims } from '../../credentials/tokens/jwt.js';
import type { Db } from '../../db/statement.js';
import type { AuthenticationMethod } from '../../domain/assurance.js';
import { type FactorKind, MAX_PASSKEYS } from '../../domain/factors.js';
import type { RequestOrigin } from '../../domain/request-origin.js';
import { addSeconds } from '../../platform/clock.js';
import { uuidInTimeOrder } from '../../platform/ids.js';
import { type Refused, refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import {
  beginCeremony,
  CEREMONY_SECONDS,
  findEnrolment,
  newToken,
  TOTP_ENROLMENT_SECONDS,
  takeCeremony,
} from './ceremonies.js';
import { changeOwn, type SessionGone, type SessionUser, type Stale } from './fresh.js';
import { methodsOf, relyingPartyOf } from './proofs.js';
import { addPasskey, addTotp, countFactors, endFactors, findPasskeys, removeFactor, setRecoveryCodes } from './rows.js';
import { proveSession } from './sessions.js';

type EnrolDeps = Deps<'clock' | 'config' | 'db' | 'keyring'>;

/** Of an authenticator app, which its user may name otherwise */
const TOTP_NAME = 'Authenticator app';

/** 512 bits at most (WebAuthn Level 3 section 5.4.3) */
const USER_HANDLE_BYTES = 32;

export interface NewTotp {
  kind: 'begun';
  id: string;
  /** Base32 */
  secret: string;
  /** For a QR code */
  uri: string;
}

/** A secret that counts once its first code has come. It replaces the one that the user has begun before. */
export async function beginTotp(
  deps: EnrolDeps,
  claims: AccessClaims,
): Promise<NewTotp | Stale | SessionGone | Refused<'totp_exists'>> {
  const { clock, config, keyring } = deps;
  const id = uuidInTimeOrder(clock.now());
  const secret = newTotpSecret();
  const sealedSecret = await sealSecret(keyring, id, secret, clock.now());
  return changeOwn(deps, claims, { fresh: true }, async ({ user, familyId }, tx, now) => {
    if ((await countFactors(tx, user.id)).has_totp) return refused('totp_exists');
    const expiresAt = addSeconds(now, TOTP_ENROLMENT_SECONDS);
    await beginCeremony(tx, { token: id, purpose: 'totp_enrolment', user, familyId, sealedSecret, expiresAt });
    return { kind: 'begun', id, secret, uri: totpUri(secret, config.productName, user.email) };
  });
}

export interface Added {
  kind: 'added';
  id: string;
  /** Ten with the first factor, otherwise none */
  recoveryCodes: string[];
}

/**
 * The first code of a new authenticator app, whose step it uses up. A wrong one is not counted: its user knows the secret.
 * @param id of the authenticator app
 */
export async function activateTotp(
  deps: EnrolDeps,
  claims: AccessClaims,
  id: string,
  code: string,
  origin: RequestOrigin,
): Promise<Added | SessionGone | Stale | Refused<'challenge_invalid' | 'factor_wrong' | 'totp_exists'>> {
  return changeOwn(deps, claims, { fresh: false }, async (session, tx, now) => {
    const { user, familyId } = session;
    const sealedSecret = await findEnrolment(tx, id, { userId: user.id, familyId }, now);
    const secret = sealedSecret && (await openSealedSecret(deps.keyring, id, sealedSecret));
    if (!sealedSecret || !secret) return refused('challenge_invalid');
    const step = matchingStep(secret, code, now);
    if (step === undefined) return refused('factor_wrong');
    if (!(await addTotp(tx, { id, userId: user.id, name: TOTP_NAME, now, sealedSecret, step }))) {
      return refused('totp_exists');
    }
    await takeCeremony(tx, { token: id, purpose: 'totp_enrolment', userId: user.id, familyId }, now);
    return finishEnrolment(tx, session, { id, kind: 'totp', methods: ['otp', 'mfa'] }, origin, now);
  });
}

export interface CreationOptions {
  kind: 'begun';
  ceremony: string;
  publicKey: object;
}

export async function beginPasskey(
  deps: EnrolDeps,
  claims: AccessClaims,
): Promise<CreationOptions | Stale | SessionGone | Refused<'too_many_passkeys'>> {
  const { creationOptions } = await import('../../credentials/factors/passkeys.js');
  return changeOwn(deps, claims, { fresh: true }, async ({ user, familyId }, tx, now) => {
    const exclude = await findPasskeys(tx, user.id);
    if (exclude.length >= MAX_PASSKEYS) return refused('too_many_passkeys');
    const challenge = newToken();
    const userHandle = exclude[0]?.userHandle ?? randomBytes(USER_HANDLE_BYTES);
    const expiresAt = addSeconds(now, CEREMONY_SECONDS);
    await beginCeremony(tx, { token: challenge, purpose: 'passkey_enrolment', user, familyId, userHandle, expiresAt });
    const party = relyingPartyOf(deps.config);
    const publicKey = await creationOptions(party, { challenge, userHandle, email: user.email, exclude });
    return { kind: 'begun', ceremony: challenge, publicKey };
  });
}

export interface NewPasskey {
  ceremony: string;
  credential: unknown;
  name: string;
}

type PasskeyRefusal = 'challenge_invalid' | 'factor_wrong' | 'passkey_exists' | 'too_many_passkeys';

/** Adds a passkey (WebAuthn Level 3 section 7.1). The ceremony is used up, right or wrong. */
export async function finishPasskey(
  deps: EnrolDeps,
  claims: AccessClaims,
  { ceremony, credential, name }: NewPasskey,
  origin: RequestOrigin,
): Promise<Added | Stale | SessionGone | Refused<PasskeyRefusal>> {
  const taken = await changeOwn(deps, claims, { fresh: true }, ({ user, familyId }, tx, now) =>
    takeCeremony(tx, { token: ceremony, purpose: 'passkey_enrolment', userId: user.id, familyId }, now),
  );
  if (taken === undefined) return refused('challenge_invalid');
  if ('kind' in taken) return taken;
  const { verifyRegistration } = await import('../../credentials/factors/passkeys.js');
  const verified = await verifyRegistration(relyingPartyOf(deps.config), credential, ceremony);
  if (verified === undefined) return refused('factor_wrong');
  const userHandle = taken.user_handle ?? randomBytes(USER_HANDLE_BYTES);
  return changeOwn(deps, claims, { fresh: true }, async (session, tx, now) => {
    const { user } = session;
    if ((await countFactors(tx, user.id)).passkeys >= MAX_PASSKEYS) return refused('too_many_passkeys');
    const id = uuidInTimeOrder(now);
    const passkey = { ...verified, id, userId: user.id, name, now, userHandle };
    if (!(await addPasskey(tx, passkey))) return refused('passkey_exists');
    return finishEnrolment(tx, session, { id, kind: 'passkey', methods: methodsOf(verified) }, origin, now);
  });
}

interface AddedFactor {
  id: string;
  kind: FactorKind;
  methods: AuthenticationMethod[];
}

/** Recovery codes with the first factor; the session has proved it, and is `aal2`. */
async function finishEnrolment(
  tx: Db,
  { user, familyId }: SessionUser,
  { id, kind, methods }: AddedFactor,
  origin: RequestOrigin,
  now: Date,
): Promise<Added> {
  const recoveryCodes = user.has_factors ? [] : await giveRecoveryCodes(tx, user.id);
  await proveSession(tx, { familyId, userId: user.id }, methods, now);
  const metadata = { factor_id: id, kind, family_id: familyId };
  await writeAudit(tx, [{ eventType: 'factor_added', userId: user.id, ...origin, metadata }], now);
  return { kind: 'added', id, recoveryCodes };
}

async function giveRecoveryCodes(tx: Db, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await setRecoveryCodes(tx, userId, codes.map(recoveryCodeSha256));
  return codes;
}

/** Ends the recovery codes of the user, and gives ten new ones. */
export async function renewRecoveryCodes(
  deps: EnrolDeps,
  claims: AccessClaims,
  origin: RequestOrigin,
): Promise<{ kind: 'renewed'; recoveryCodes: string[] } | Stale | SessionGone | Refused<'factor_unknown'>> {
  return changeOwn(deps, claims, { fresh: true }, async ({ user, familyId }, tx, now) => {
    if (!user.has_factors) return refused('factor_unknown');
    const recoveryCodes = await giveRecoveryCodes(tx, user.id);
    const metadata = { family_id: familyId };
    await writeAudit(tx, [{ eventType: 'recovery_codes_renewed', userId: user.id, ...origin, metadata }], now);
    return { kind: 'renewed', recoveryCodes };
  });
}

/** Removes a factor; with the last one the recovery codes and every login that waits for one. */
export async function removeOwnFactor(
  deps: EnrolDeps,
  claims: AccessClaims,
  id: string,
  origin: RequestOrigin,
): Promise<{ kind: 'removed' } | Stale | SessionGone | Refused<'factor_unknown'>> {
  return changeOwn(deps, claims, { fresh: true }, async ({ user, familyId }, tx, now) => {
    const kind = await removeFactor(tx, id, user.id);
    if (kind === undefined) return refused('factor_unknown');
    const left = await countFactors(tx, user.id);
    if (left.passkeys === 0 && !left.has_totp) await endFactors(tx, user.id);
    const metadata = { factor_id: id, kind, family_id: familyId };
    await writeAudit(tx, [{ eventType: 'factor_removed', userId: user.id, ...origin, metadata }], now);
    return { kind: 'removed' };
  });
}
