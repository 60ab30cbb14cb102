/** The second step of a login, and a login by a passkey alone. (Interface 20) */
import { type EventToWrite, writeAudit } from '../../audit/write.js';
import {
  type DeviceEntry,
  hashOfSecret,
  issueEntry,
  newDeviceSecret,
  withEntry,
} from '../../credentials/device-entries.js';
import { challengeOf, credentialIdOf } from '../../credentials/factors/passkey-response.js';
import { AUTHENTICATION_METHODS, type AuthenticationMethod, BY_PASSWORD } from '../../domain/assurance.js';
import type { FactorName } from '../../domain/factors.js';
import type { RequestOrigin } from '../../domain/request-origin.js';
import { addSeconds } from '../../platform/clock.js';
import { uuidInTimeOrder } from '../../platform/ids.js';
import { type Refused, refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import { countFailure, findActiveUser, isLocked, type LoginUser, refuseLocked, type SessionUser } from '../account.js';
import { findUserOnDevice } from '../known-devices.js';
import type { Locked, Outcome } from '../outcomes.js';
import { beginCeremony, CEREMONY_SECONDS, findHalfLogin, hashOf, newToken, takeCeremony } from './ceremonies.js';
import { checkCode, checkPasskey, type Proof, proofByRecoveryCode, relyingPartyOf } from './proofs.js';
import { findPasskeys, takePasskeyLogin } from './rows.js';
import { startSessionByFactor } from './sessions.js';

export type FactorDeps = Deps<'clock' | 'config' | 'db' | 'keyring' | 'metrics' | 'tokens'>;

/** Of `auth_gateway_factors_total` */
export const FACTOR_OUTCOMES = ['success', 'wrong', 'account_locked'] as const;

/** What a page sends with the challenge of its half login */
export type Presented = { code: string } | { recovery_code: string } | { credential: unknown };

/** Who logs in: where from, and on which device (Interface 16). */
export interface Visitor {
  origin: RequestOrigin;
  /** Undefined if KNOWN_DEVICES is off */
  entries: readonly DeviceEntry[] | undefined;
}

/**
 * Finishes a login whose password was right. A wrong code is a failed login of the account; the half login stays.
 * @throws {ClockSkewed} if this clock is wrong
 */
export async function finishLogin(
  deps: FactorDeps,
  challenge: string,
  presented: Presented,
  visitor: Visitor,
): Promise<Outcome> {
  const { clock, db } = deps;
  const halfLoginSha256 = hashOf(challenge);
  const half = await findHalfLogin(db, halfLoginSha256, clock.now());
  const user = half && (await findUser(deps, half.email, visitor));
  if (half === undefined || user?.id !== half.user_id) return refused('challenge_invalid');
  if (isLocked(user, clock.now())) return refuseLockedFactor(deps, factorOf(presented), user, visitor);

  const proof = await prove(deps, user, presented, halfLoginSha256);
  const attempt = { email: half.email, factor: factorOf(presented), visitor };
  if (proof === undefined) return refuseWrong(deps, user, attempt);
  const methods = sorted([...BY_PASSWORD, ...proof.methods]);
  const entered = await enter(deps, user, proof, methods, visitor, halfLoginSha256);
  if (entered !== undefined) return entered;

  // The user changed, or the code or the half login has been used meanwhile.
  if ((await findHalfLogin(db, halfLoginSha256, clock.now())) === undefined) return refused('challenge_invalid');
  // Interface 16: the device was forgotten, so the login is that of a stranger.
  if (await isForgotten(deps, user, attempt)) return finishLogin(deps, challenge, presented, visitor);
  return refuseWrong(deps, user, attempt);
}

function factorOf(presented: Presented): FactorName {
  if ('code' in presented) return 'totp';
  return 'recovery_code' in presented ? 'recovery_code' : 'passkey';
}

async function prove(
  deps: FactorDeps,
  { id: userId }: SessionUser,
  presented: Presented,
  halfLoginSha256: Buffer,
): Promise<Proof | undefined> {
  if ('code' in presented) return checkCode(deps, userId, presented.code);
  if ('recovery_code' in presented) return proofByRecoveryCode(presented.recovery_code);
  const { credential } = presented;
  const token = challengeOf(credential) ?? '';
  const bound = { token, purpose: 'second_factor', userId, halfLoginSha256 } as const;
  // The body names no ceremony, so a dead one is a wrong answer.
  if ((await takeCeremony(deps.db, bound, deps.clock.now())) === undefined) return undefined;
  const passkey = (await findPasskeys(deps.db, userId)).find(
    (each) => each.credentialId === credentialIdOf(credential),
  );
  return passkey && checkPasskey(deps, credential, token, passkey, 'optional');
}

export interface PasskeyOptions {
  /** The challenge, which names its row */
  ceremony: string;
  publicKey: object;
}

/**
 * Options for a passkey: of anybody, or of the user of a half login.
 * @returns `challenge_invalid` if there is no such half login
 */
export async function beginPasskeyLogin(
  deps: Deps<'clock' | 'config' | 'db'>,
  challenge: string | undefined,
): Promise<PasskeyOptions | Refused<'challenge_invalid'>> {
  const { clock, config, db } = deps;
  const now = clock.now();
  const halfLoginSha256 = challenge === undefined ? undefined : hashOf(challenge);
  const half = halfLoginSha256 && (await findHalfLogin(db, halfLoginSha256, now));
  if (challenge !== undefined && half === undefined) return refused('challenge_invalid');
  const token = newToken();
  const expiresAt = addSeconds(now, CEREMONY_SECONDS);
  if (half === undefined || halfLoginSha256 === undefined) {
    await beginCeremony(db, { token, purpose: 'passkey_login', expiresAt });
    return optionsOf(config, token);
  }
  const user = { id: half.user_id, password_version: half.password_version };
  await beginCeremony(db, { token, purpose: 'second_factor', expiresAt, user, halfLoginSha256 });
  return optionsOf(config, token, await findPasskeys(db, user.id));
}

/** @param allow the passkeys of a user who is known */
export async function optionsOf(
  config: Deps<'config'>['config'],
  token: string,
  allow?: Awaited<ReturnType<typeof findPasskeys>>,
): Promise<PasskeyOptions> {
  const { requestOptions } = await import('../../credentials/factors/passkeys.js');
  const publicKey = await requestOptions(relyingPartyOf(config), { challenge: token, ...(allow && { allow }) });
  return { ceremony: token, publicKey };
}

/**
 * A login by a passkey, which is two factors: it verifies its owner. A wrong one is counted for its address alone, so that
 * who knows the id of a passkey cannot lock its owner.
 */
export async function logInByPasskey(
  deps: FactorDeps,
  ceremony: string,
  credential: unknown,
  visitor: Visitor,
): Promise<Outcome> {
  const { clock, db } = deps;
  const taken = await takePasskeyLogin(db, ceremony, credentialIdOf(credential), clock.now());
  if (taken === undefined) return refused('challenge_invalid');
  const { login } = taken;
  const attempt = { email: login?.user.email ?? '', factor: 'passkey', visitor } as const;
  const user = login && visitor.entries ? await findUser(deps, login.user.email, visitor) : login?.user;
  if (login === undefined || user?.id !== login.user.id) return refuseWrong(deps, undefined, attempt);
  if (isLocked(user, clock.now())) return refuseLockedFactor(deps, 'passkey', user, visitor);
  const proof = await checkPasskey(deps, credential, ceremony, login.passkey, 'required');
  const entered = proof && (await enter(deps, user, proof, sorted(proof.methods), visitor));
  return entered ?? refuseWrong(deps, user, attempt);
}

function findUser(deps: FactorDeps, email: string, { entries }: Visitor): Promise<LoginUser | undefined> {
  if (entries === undefined) return findActiveUser(deps.db, email);
  return findUserOnDevice(deps, email, entries, deps.clock.now());
}

/** In the order of the claim `amr`. */
function sorted(methods: readonly AuthenticationMethod[]): AuthenticationMethod[] {
  return AUTHENTICATION_METHODS.filter((method) => methods.includes(method));
}

/** Starts the session. @returns undefined if nothing was written */
async function enter(
  { clock, db, keyring, metrics, tokens }: FactorDeps,
  user: SessionUser,
  { factor, used }: Proof,
  amr: AuthenticationMethod[],
  { origin, entries }: Visitor,
  halfLoginSha256?: Buffer,
): Promise<Outcome | undefined> {
  clock.requireSynced();
  const now = clock.now();
  const familyId = uuidInTimeOrder(now);
  const entry = entries && issueEntry(keyring, user, user.device?.secret ?? newDeviceSecret(), now);
  const newDevice = entry && { id: uuidInTimeOrder(now), secretSha256: hashOfSecret(entry.secret) };
  const about = { userId: user.id, ...origin };
  const events: EventToWrite[] = [{ eventType: 'login_success', ...about, metadata: { factor } }];
  if (factor === 'recovery_code') {
    events.push({ eventType: 'recovery_code_used', ...about, metadata: { family_id: familyId } });
  }
  const record = { jti: uuidInTimeOrder(now), familyId, origin, expiresAt: tokens.refreshTokenExpiry(now) };
  const role = await startSessionByFactor(db, { ...record, user, newDevice, used, halfLoginSha256, amr, events }, now);
  if (role === undefined) return undefined;
  metrics.factors.inc({ kind: factor, outcome: 'success' });
  const session = { sub: user.id, role, sid: familyId, startedAt: now, amr, provedAt: null };
  const deviceCookie = entries && entry && withEntry(entries, entry);
  return { kind: 'granted', deviceCookie, ...tokens.issuePair(session, record, now) };
}

interface Attempt {
  email: string;
  factor: FactorName;
  visitor: Visitor;
}

/** Whether the device of this login was known when the user was read, and is not any more. */
async function isForgotten(deps: FactorDeps, { device }: SessionUser, { email, visitor }: Attempt): Promise<boolean> {
  if (device === undefined) return false;
  const user = await findUser(deps, email, visitor);
  return user !== undefined && user.device === undefined;
}

/** Counts a code as a wrong password; an assertion cannot be guessed, so it is only written. */
async function refuseWrong(deps: FactorDeps, user: SessionUser | undefined, attempt: Attempt): Promise<Outcome> {
  const { clock, db, metrics } = deps;
  const { email, factor, visitor } = attempt;
  clock.requireSynced();
  const now = clock.now();
  const metadata = { reason: 'invalid_credentials', email, factor } as const;
  const failure = { eventType: 'login_failure', userId: user?.id ?? null, ...visitor.origin, metadata } as const;
  const isCounted = user !== undefined && factor !== 'passkey' && (await countFailure(deps, failure, now, user.device));
  if (!isCounted) {
    // Others have locked the account meanwhile, or the user is gone.
    const changed = user && (await findUser(deps, email, visitor));
    if (changed !== undefined && isLocked(changed, now)) return refuseLockedFactor(deps, factor, changed, visitor);
    if (user !== undefined && factor !== 'passkey' && (await isForgotten(deps, user, attempt))) {
      return refuseWrong(deps, { ...user, device: undefined }, attempt);
    }
    await writeAudit(db, [failure], now);
  }
  metrics.factors.inc({ kind: factor, outcome: 'wrong' });
  return refused('invalid_credentials');
}

function refuseLockedFactor(
  deps: FactorDeps,
  kind: FactorName,
  user: SessionUser & { locked_until: Date },
  { origin }: Visitor,
): Promise<Locked> {
  deps.metrics.factors.inc({ kind, outcome: 'account_locked' });
  return refuseLocked(deps, user, origin, deps.clock.now());
}
