/** Checks the code or the assertion that a user presents. What is right is used up by the statement that acts on it. (Interface 20) */
import type { RelyingParty } from '../../credentials/factors/passkeys.js';
import { recoveryCodeSha256 } from '../../credentials/factors/recovery-codes.js';
import { matchingStep } from '../../credentials/factors/totp.js';
import { openSealedSecret } from '../../credentials/sealed-secret.js';
import type { AuthenticationMethod } from '../../domain/assurance.js';
import type { FactorName } from '../../domain/factors.js';
import type { Deps } from '../../services.js';
import { findTotp, type Passkey } from './rows.js';
import type { Used } from './sessions.js';

/** A right code or assertion, if it has not been used. */
export interface Proof<Name extends FactorName = FactorName> {
  factor: Name;
  used: Used;
  /** Without the password's */
  methods: AuthenticationMethod[];
}

const BY_CODE: AuthenticationMethod[] = ['otp', 'mfa'];

/** @returns undefined if the code is wrong, or the user has no authenticator app */
export async function checkCode(
  { clock, db, keyring }: Deps<'clock' | 'db' | 'keyring'>,
  userId: string,
  code: string,
): Promise<Proof<'totp'> | undefined> {
  const totp = await findTotp(db, userId);
  const secret = totp && (await openSealedSecret(keyring, totp.id, totp.sealed_secret ?? ''));
  if (totp === undefined || secret === undefined) return undefined;
  const step = matchingStep(secret, code, clock.now());
  return step === undefined
    ? undefined
    : { factor: 'totp', used: { factorId: totp.id, step, signCount: null }, methods: BY_CODE };
}

/** Whether it is right, the statement finds out that uses it up. */
export function proofByRecoveryCode(code: string): Proof<'recovery_code'> {
  return { factor: 'recovery_code', used: { codeSha256: recoveryCodeSha256(code) }, methods: BY_CODE };
}

/**
 * @param response of the page, unread
 * @param challenge of the ceremony, which is used up by now
 * @param handle whether the response must name its user: if no password did
 * @returns undefined if anything is wrong (WebAuthn Level 3 section 7.2)
 */
export async function checkPasskey(
  { config }: Deps<'config'>,
  response: unknown,
  challenge: string,
  passkey: Passkey,
  handle: 'required' | 'optional',
): Promise<Proof<'passkey'> | undefined> {
  const { verifyAssertion } = await import('../../credentials/factors/passkeys.js');
  const party = relyingPartyOf(config);
  const verified = await verifyAssertion(party, response, challenge, passkey, passkey.userHandle, handle);
  if (verified === undefined) return undefined;
  return {
    factor: 'passkey',
    used: { factorId: passkey.id, step: null, signCount: verified.signCount },
    methods: methodsOf(passkey),
  };
}

/** The gateway to authenticators: they keep a passkey for its `id`. */
export function relyingPartyOf({ webauthn, productName }: Deps<'config'>['config']): RelyingParty {
  return { id: webauthn.rpId, name: productName, origins: webauthn.origins };
}

/** RFC 8176: a key in software can be on several devices. Its owner was verified, which is two factors in one. */
export function methodsOf({ isSynced }: Pick<Passkey, 'isSynced'>): AuthenticationMethod[] {
  return [isSynced ? 'swk' : 'hwk', 'user', 'mfa'];
}
