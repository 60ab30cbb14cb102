/** CONTRACT 3: the keys in use, of three kinds, picked up again when their file changes. */
import { createPrivateKey, createPublicKey, subtle, type webcrypto } from 'node:crypto';
import { type Clock, epochSeconds } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import { fileVersion, KeyringError, type PrivateJwk, readKeyring } from './keyring-file.js';

/** How long a new key is published before it is used, so that every verifier has seen it: seconds. */
export const PUBLISH_AHEAD_SECONDS = 900;
/** How long a verifier may keep the JWKS: seconds, less than the delay above. */
export const JWKS_MAX_AGE_SECONDS = 300;
/** How often a running instance looks for a changed file: milliseconds. */
const LOOK_AGAIN_MS = 2_000;

interface Key {
  kid: string;
  /** Seconds since the epoch */
  notBefore: number;
}

export interface SigningKey extends Key {
  alg: 'EdDSA' | 'HS256';
  signWith: webcrypto.CryptoKey;
  verifyWith: webcrypto.CryptoKey;
}

interface AccessKey extends SigningKey {
  publicJwk: Record<'kty' | 'crv' | 'x' | 'kid' | 'use' | 'alg', string>;
}

interface SealingKey extends Key {
  key: webcrypto.CryptoKey;
}

interface KeyOf {
  access: AccessKey;
  refresh: SigningKey;
  sealing: SealingKey;
}

/** The keys of one reading of the file, newest first in each kind. */
type Keys = { [Kind in keyof KeyOf]: Array<KeyOf[Kind]> };

/** @throws {KeyringError} where a kind is missing or an Ed25519 pair does not belong together */
export async function importKeys(jwks: readonly PrivateJwk[], now: Date): Promise<Keys> {
  const keys: Keys = {
    access: await Promise.all(jwks.filter((jwk) => jwk.alg === 'EdDSA').map(importAccessKey)),
    refresh: await Promise.all(jwks.filter((jwk) => jwk.alg === 'HS256').map(importRefreshKey)),
    sealing: await Promise.all(jwks.filter((jwk) => jwk.alg === 'A256GCM').map(importSealingKey)),
  };
  for (const [kind, ofKind] of Object.entries<Key[]>(keys)) {
    if (ofKind.some((key) => mayBeUsed(key, now))) continue;
    throw new KeyringError(`the keyring has no ${kind} key that may be used now`);
  }
  return keys;
}

function mayBeUsed({ notBefore }: Key, now: Date): boolean {
  return notBefore <= epochSeconds(now);
}

type Jwk<Alg> = Extract<PrivateJwk, { alg: Alg }>;

async function importAccessKey(jwk: Jwk<'EdDSA'>): Promise<AccessKey> {
  const { kty, crv, x, d, kid, use, alg, nbf: notBefore = 0 } = jwk;
  const privateKey = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
  if (createPublicKey(privateKey).export({ format: 'jwk' }).x !== x) {
    throw new KeyringError('an Ed25519 key of the keyring has an x that is not of its d');
  }
  return {
    kid,
    alg,
    notBefore,
    signWith: await subtle.importKey('jwk', { kty, crv, x, d }, 'Ed25519', false, ['sign']),
    verifyWith: await subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']),
    publicJwk: { kty, crv, x, kid, use, alg },
  };
}

async function importRefreshKey({ k, kid, alg, nbf: notBefore = 0 }: Jwk<'HS256'>): Promise<SigningKey> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', Buffer.from(k, 'base64url'), hmac, false, ['sign', 'verify']);
  return { kid, alg, notBefore, signWith: key, verifyWith: key };
}

async function importSealingKey({ k, kid, nbf: notBefore = 0 }: Jwk<'A256GCM'>): Promise<SealingKey> {
  const bytes = Buffer.from(k, 'base64url');
  return { kid, notBefore, key: await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']) };
}

/** The keyring of a running instance: always of the newest reading that was sound. */
export interface Keyring {
  /** The key that makes: the first of its kind whose time has come. @throws {KeyringError} where there is none */
  inUse<Kind extends keyof KeyOf>(kind: Kind, now: Date): KeyOf[Kind];
  /** The key that checks or opens what was made with it, whenever that was. */
  byKid<Kind extends keyof KeyOf>(kind: Kind, kid: string | undefined): KeyOf[Kind] | undefined;
  /** Public halves of the access keys: the body of the JWKS endpoint. */
  publicJwks(): { keys: Array<AccessKey['publicJwk']> };
  close(): void;
}

/**
 * Reads the file, then looks every two seconds whether it has changed. A changed file that is refused leaves the
 * keys as they are and is logged.
 * @throws {KeyringError} for a file that is refused at the first reading
 */
export async function openKeyring(file: string, clock: Clock, log: Logger): Promise<Keyring> {
  const read = async (): Promise<Keys> => {
    const { jwks, warning } = await readKeyring(file);
    const taken = await importKeys(jwks, clock.now());
    if (warning !== undefined) log.warn(`the keyring holds secrets, and ${warning}`);
    return taken;
  };
  let version = await fileVersion(file);
  let refused = '';
  let keys = await read();
  const lookAgain = async (): Promise<void> => {
    const seen = await fileVersion(file);
    if (seen === version) return;
    try {
      keys = await read();
      version = seen;
      refused = '';
      log.info({ keys: keys.access.map(({ kid }) => kid) }, 'keyring read again');
    } catch (error) {
      const reason = error instanceof KeyringError ? error.message : describeError(error);
      const refusal = `${seen} ${JSON.stringify(reason)}`;
      if (refusal === refused) return; // it is tried again, but said once
      refused = refusal;
      log.error({ reason }, 'changed keyring refused; the keys in use stay');
    }
  };
  const timer = setInterval(lookAgain, LOOK_AGAIN_MS);
  timer.unref();
  return {
    inUse: (kind, now) => {
      const key = keys[kind].find((candidate) => mayBeUsed(candidate, now));
      if (key === undefined) throw new KeyringError('no key of this kind may be used yet (nbf)');
      return key;
    },
    byKid: (kind, kid) => keys[kind].find((key) => key.kid === kid),
    publicJwks: () => ({ keys: keys.access.map(({ publicJwk }) => publicJwk) }),
    close: () => clearInterval(timer),
  };
}
