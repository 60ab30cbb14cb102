/** Imports the keys of a keyring, each for its own algorithm only. (Interface 3) */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  subtle,
  type webcrypto,
} from 'node:crypto';
import { compactVerify } from 'jose';
import { epochSeconds } from '../../platform/clock.js';
import { ed25519Signer } from './ed25519.js';
import { KeyringError } from './keyring-error.js';
import { type AccessAlg, type AccessJwk, accessAlg, type PrivateJwk } from './private-jwks.js';

export interface Key {
  kid: string;
  /** Of JWS (RFC 7518 section 3.1) or JWE (section 5.1) */
  alg: string;
  /** Seconds since the epoch */
  notBefore: number;
}

export interface SigningKey extends Key {
  alg: AccessAlg | 'HS256';
  /** The protected header (RFC 7515 section 7.1) of every token that it signs, in base64url */
  header: string;
  /** Signs ASCII text. @returns base64url */
  sign(text: string): string;
  /** For jose */
  verifyWith: webcrypto.CryptoKey;
}

export interface AccessKey extends SigningKey {
  /** The protected header of an assertion (Interface 18), which is no access token */
  assertionHeader: string;
  publicJwk: PublicJwk;
}

/** The published half of an access key. */
export interface PublicJwk extends JsonWebKey {
  kid: string;
  use: 'sig';
  alg: AccessAlg;
}

interface SealingKey extends Key {
  alg: 'A256GCM';
  key: webcrypto.CryptoKey;
}

export interface KeyOf {
  access: AccessKey;
  refresh: SigningKey;
  /** Interface 16: derived from the refresh keys, so that devices stay known for as long as sessions live */
  device: SigningKey;
  /** Interface 22: derived from the refresh keys too, since nobody but the gateway reads its tokens */
  gate: SigningKey;
  sealing: SealingKey;
}

/** The keys of one version of the file, by purpose, newest first. */
export type Keys = { [Kind in keyof KeyOf]: Array<KeyOf[Kind]> };

/** `typ` of an assertion (RFC 8725 section 3.11) */
export const ASSERTION_TYPE = 'caller+jwt';

/** @throws {KeyringError} if a purpose has no key, or an access key is weak or its halves do not match */
export async function importKeys(jwks: readonly PrivateJwk[], now: Date): Promise<Keys> {
  const refreshJwks = jwks.filter((jwk) => jwk.alg === 'HS256');
  const keys: Keys = {
    access: await Promise.all(jwks.filter((jwk) => jwk.kty !== 'oct').map(importAccessKey)),
    refresh: refreshJwks.map((jwk) => hmacKey(jwk, createSecretKey(jwk.k, 'base64url'), 'JWT')),
    device: refreshJwks.map((jwk) => hmacKey(jwk, deriveKey(jwk.k, 'known devices'), 'device+jwt')),
    gate: refreshJwks.map((jwk) => hmacKey(jwk, deriveKey(jwk.k, 'pages behind the gate'), 'gate+jwt')),
    sealing: await Promise.all(jwks.filter((jwk) => jwk.alg === 'A256GCM').map(importSealingKey)),
  };
  for (const [kind, ofKind] of Object.entries<Key[]>(keys)) {
    if (ofKind.some((key) => mayBeUsed(key, now))) continue;
    const remedy = 'correct the clock (timedatectl set-ntp true), or put back the keyring that was used before';
    throw new KeyringError(`the keyring has no ${kind} key that may be used now`, remedy);
  }
  return keys;
}

export function mayBeUsed({ notBefore }: Key, now: Date): boolean {
  return notBefore <= epochSeconds(now);
}

type Jwk<Alg> = Extract<PrivateJwk, { alg: Alg }>;

/** Names of the algorithms in WebCrypto. */
const WEB_CRYPTO = {
  EdDSA: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const satisfies Record<AccessAlg, object>;

/** RFC 7518 section 3.3 */
const LEAST_RSA_BITS = 2048;

async function importAccessKey(jwk: AccessJwk): Promise<AccessKey> {
  const { kid, use, nbf: notBefore = 0 } = jwk;
  const alg = accessAlg(jwk);
  const refused = (fault: string) => new KeyringError(`the access key ${kid} of the keyring is refused: ${fault}`);
  try {
    const { d: _private, ...publicHalf } = jwk; // with d, Node derives the public half again for some keys
    const publicKey = createPublicKey({ key: publicHalf, format: 'jwk' });
    const rsaBits = publicKey.asymmetricKeyDetails?.modulusLength;
    if (rsaBits !== undefined && rsaBits < LEAST_RSA_BITS) throw refused(`it has fewer than ${LEAST_RSA_BITS} bits`);
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    const key = {
      kid,
      alg,
      notBefore,
      header: base64url(JSON.stringify({ alg, typ: 'at+jwt', kid })),
      assertionHeader: base64url(JSON.stringify({ alg, typ: ASSERTION_TYPE, kid })),
      sign: signer(alg, privateKey),
      verifyWith: publicKey.toCryptoKey(WEB_CRYPTO[alg], false, ['verify']),
      publicJwk: { ...publicKey.export({ format: 'jwk' }), kid, use, alg },
    };
    const signed = `${key.header}.${base64url('a pair?')}`;
    await compactVerify(`${signed}.${key.sign(signed)}`, key.verifyWith);
    return key;
  } catch (error) {
    throw error instanceof KeyringError ? error : refused('its private and public halves do not match');
  }
}

function hmacKey({ kid, alg, nbf: notBefore = 0 }: Jwk<'HS256'>, key: KeyObject, typ: string): SigningKey {
  return {
    kid,
    alg,
    notBefore,
    header: base64url(JSON.stringify({ alg, typ, kid })),
    sign: (text) => createHmac('sha256', key).update(text).digest('base64url'),
    verifyWith: key.toCryptoKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['verify']),
  };
}

/** RFC 5869, so that what one key has signed is worthless for the other. @param label the purpose of the derived key */
function deriveKey(secret: string, label: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', label, 32)));
}

function signer(alg: AccessAlg, key: KeyObject): (text: string) => string {
  if (alg === 'EdDSA') return ed25519Signer(key);
  // ES256 signatures are two concatenated integers (RFC 7518 section 3.4). The key in an object costs 10 µs a call.
  const signWith = alg === 'ES256' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key;
  return (text) => sign('sha256', Buffer.from(text), signWith).toString('base64url');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

async function importSealingKey({ alg, k, kid, nbf: notBefore = 0 }: Jwk<'A256GCM'>): Promise<SealingKey> {
  const bytes = Buffer.from(k, 'base64url');
  return { kid, alg, notBefore, key: await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']) };
}
