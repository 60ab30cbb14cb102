/**
 * Passkeys: the options of their ceremonies, and the verdicts. Imported when the first ceremony begins, because the
 * library is large. (WebAuthn Level 3 section 7, Interface 20)
 */
import { timingSafeEqual } from 'node:crypto';
import {
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import { cborEnd, isCborMap } from './cbor-end.js';
import { algorithmOf, type CborMap, isUsableKey, PASSKEY_ALGORITHMS } from './cose-key.js';
import { readAssertion, readRegistration } from './passkey-response.js';

const TIMEOUT_MS = 300_000;

export interface RelyingParty {
  /** A host name: the scope of the passkeys */
  id: string;
  /** What the browser shows */
  name: string;
  /** Where ceremonies may take place */
  origins: readonly string[];
}

export interface StoredPasskey {
  /** base64url */
  credentialId: string;
  /** A COSE key */
  publicKey: Uint8Array;
  signCount: number;
  transports: string[];
  /** Whether it may be on other devices (BE), which stays as it was when it was made */
  isSynced: boolean;
}

type PasskeyName = Pick<StoredPasskey, 'credentialId' | 'transports'>;

export interface Creation {
  /** base64url of 32 random bytes */
  challenge: string;
  /** Random, because an authenticator may show it to anybody */
  userHandle: Uint8Array;
  email: string;
  /** Passkeys that the user has */
  exclude: readonly PasskeyName[];
}

/** Options of `navigator.credentials.create`, for five minutes. */
export async function creationOptions(
  rp: RelyingParty,
  { challenge, userHandle, email, exclude }: Creation,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpID: rp.id,
    rpName: rp.name,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userID: new Uint8Array(userHandle),
    userName: email,
    userDisplayName: email,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: exclude.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  });
}

/**
 * Options of `navigator.credentials.get`, for five minutes.
 * @param allow without it, every passkey of this relying party can be chosen
 */
export async function requestOptions(
  rp: RelyingParty,
  { challenge, allow }: { challenge: string; allow?: readonly PasskeyName[] },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: rp.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    ...(allow !== undefined && { allowCredentials: allow.map(descriptorOf) }),
  });
}

/** Browsers ignore transports that they do not know. */
function descriptorOf({ credentialId, transports }: PasskeyName) {
  return { id: credentialId, transports: transports as AuthenticatorTransport[] };
}

/**
 * WebAuthn Level 3 section 7.1.
 * @param response untrusted JSON
 * @param challenge of the ceremony, base64url
 * @returns undefined for every fault of the response
 */
export async function verifyRegistration(
  rp: RelyingParty,
  response: unknown,
  challenge: string,
): Promise<StoredPasskey | undefined> {
  const read = readRegistration(response);
  if (read === undefined || read.clientData.isCrossOrigin || read.clientData.challenge !== challenge) return undefined;
  if (cborEnd(read.attestationObject, 0) !== read.attestationObject.length) return undefined;

  const attestation = await answerOf(async () => readAttestation(read.attestationObject));
  if (attestation === undefined) return undefined;
  const answer = await answerOf(() =>
    verifyRegistrationResponse({
      response: {
        id: read.id,
        rawId: read.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: read.clientDataJson,
          attestationObject: read.attestationObject.toString('base64url'),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    }),
  );
  if (!answer?.verified) return undefined;

  const { credential, credentialDeviceType } = answer.registrationInfo;
  const key = decodeCredentialPublicKey(credential.publicKey) as unknown as CborMap;
  if (credential.id !== read.id || !isUsableKey(key)) return undefined;
  if (attestation.signedBy !== undefined && attestation.signedBy !== algorithmOf(key)) return undefined;
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    signCount: credential.counter,
    transports: read.transports,
    isSynced: credentialDeviceType === 'multiDevice',
  };
}

/**
 * Attestation `none`, which was asked for, or by the key itself, which browsers pass on. For certificates the library
 * would ask addresses that are written in them.
 * @returns the algorithm that the attestation says it is signed with, if it is; undefined for every other attestation
 */
function readAttestation(attestationObject: Buffer): { signedBy: unknown } | undefined {
  const attestation = decodeAttestationObject(new Uint8Array(attestationObject)) as unknown as CborMap;
  const [format, statement, authData] = ['fmt', 'attStmt', 'authData'].map((name) => attestation.get(name));
  if (!(statement instanceof Map) || !(authData instanceof Uint8Array)) return undefined;
  if (!isWhole(Buffer.from(authData))) return undefined;
  if (format === 'none') return { signedBy: undefined };
  return format === 'packed' && !statement.has('x5c') ? { signedBy: statement.get('alg') ?? null } : undefined;
}

/**
 * WebAuthn Level 3 section 7.2.
 * @param response untrusted JSON
 * @param challenge of the ceremony, base64url
 * @param passkey whose id the response names
 * @param userHandle of the passkey's user
 * @param handle whether the response must name the user, as it must if nobody else did
 * @returns undefined for every fault of the response, and for a counter that does not grow if the key is not copied (BS)
 */
export async function verifyAssertion(
  rp: RelyingParty,
  response: unknown,
  challenge: string,
  passkey: StoredPasskey,
  userHandle: Uint8Array,
  handle: 'required' | 'optional',
): Promise<{ signCount: number } | undefined> {
  const read = readAssertion(response);
  if (read === undefined || read.clientData.isCrossOrigin || read.clientData.challenge !== challenge) return undefined;
  if (read.id !== passkey.credentialId || !isWhole(read.authenticatorData)) return undefined;
  if (read.userHandle === undefined ? handle === 'required' : !isSame(read.userHandle, userHandle)) return undefined;

  const answer = await answerOf(() =>
    verifyAuthenticationResponse({
      response: {
        id: read.id,
        rawId: read.id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: read.clientDataJson,
          authenticatorData: read.authenticatorData.toString('base64url'),
          signature: read.signature,
        },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
      // The library would refuse a copied key's counter. Zero is never above, and the counter is compared below.
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    }),
  );
  if (!answer?.verified) return undefined;

  const { newCounter, credentialDeviceType, credentialBackedUp } = answer.authenticationInfo;
  if (passkey.isSynced !== (credentialDeviceType === 'multiDevice')) return undefined;
  const counts = newCounter > 0 || passkey.signCount > 0;
  if (counts && newCounter <= passkey.signCount && !credentialBackedUp) return undefined;
  return { signCount: newCounter };
}

function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const ATTESTED = 0x40;
const EXTENDED = 0x80;

/** Whether authenticator data are as long as they say. (WebAuthn Level 3 section 6.1) */
function isWhole(data: Buffer): boolean {
  if (data.length < 37) return false;
  const flags = data.readUInt8(32);
  let end: number | undefined = 37;
  if (flags & ATTESTED) {
    if (data.length < 55) return false;
    end = cborEnd(data, 55 + data.readUInt16BE(53));
  }
  if (end !== undefined && flags & EXTENDED) end = isCborMap(data, end) ? cborEnd(data, end) : undefined;
  return end === data.length;
}

/** The library answers every fault of a response by an exception, which has no class of its own. */
async function answerOf<Answer>(verify: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
