/** CONTRACT 3: the keys in use, of three kinds, picked up again when their file changes. */
import { createPrivateKey, createPublicKey, webcrypto } from 'node:crypto';
import { type Clock, epochSeconds } from '../platform/clock.js';
import { describeError, type Logger } from '../platform/logger.js';
import { fileVersion, KeyringError, type PrivateJwk, readKeyring } from './keyring-file.js';

const { subtle } = webcrypto;
type CryptoKey = webcrypto.CryptoKey;

/** How long a new key is published before it is used, so that every verifier has seen it: seconds. */
export const PUBLISH_AHEAD_SECONDS = 900;
/** How long a verifier may keep the JWKS: seconds, less than the delay above. */
export const JWKS_MAX_AGE_SECONDS = 300;
/** How often a running instance looks for a changed file: milliseconds. */
const LOOK_AGAIN_MS = 2_000;

export interface SigningKey {
  kid: string;
  alg: 'EdDSA' | 'HS256';
  notBefore: number;
  signWith: CryptoKey;
  verifyWith: CryptoKey;
}

export interface SealingKey {
  kid: string;
  notBefore: number;
  key: CryptoKey;
}

/** The keys of one reading of the file, newest first in each kind. */
export interface Keys {
  access: SigningKey[];
  refresh: SigningKey[];
  sealing: SealingKey[];
  /** Public halves of the access keys: the body of the JWKS endpoint. */
  publicJwks: { keys: Array<{ kty: string; crv: string; x: string; kid: string; use: string; alg: string }> };
}

/** The first key whose time has come (CONTRACT 3). */
export function keyInUse<K extends { notBefore: number }>(keys: readonly K[], now: Date): K {
  const key = keys.find(({ notBefore }) => notBefore <= epochSeconds(now));
  if (key === undefined) throw new KeyringError('no key of this kind may be used yet (nbf)');
  return key;
}

/** @throws {KeyringError} where a kind is missing or an Ed25519 pair does not belong together */
export async function importKeys(jwks: readonly PrivateJwk[], now: Date): Promise<Keys> {
  const access = jwks.filter((jwk) => jwk.alg === 'EdDSA');
  const keys: Keys = {
    access: await Promise.all(access.map(importAccessKey)),
    refresh: await Promise.all(jwks.filter((jwk) => jwk.alg === 'HS256').map(importRefreshKey)),
    sealing: await Promise.all(jwks.filter((jwk) => jwk.alg === 'A256GCM').map(importSealingKey)),
    publicJwks: { keys: access.map(({ kty, crv, x, kid, use, alg }) => ({ kty, crv, x, kid, use, alg })) },
  };
  for (const kind of ['access', 'refresh', 'sealing'] as const) {
    if (!keys[kind].some(({ notBefore }) => notBefore <= epochSeconds(now))) {
      throw new KeyringError(`the keyring has no ${kind} key that may be used now`);
    }
  }
  return keys;
}

type Jwk<Alg> = Extract<PrivateJwk, { alg: Alg }>;

async function importAccessKey({ kty, crv, x, d, kid, nbf }: Jwk<'EdDSA'>): Promise<SigningKey> {
  const derived = createPublicKey(createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' })).export({
    format: 'jwk',
  });
  if (derived.x !== x) throw new KeyringError('an Ed25519 key of the keyring has an x that is not of its d');
  return {
    kid,
    alg: 'EdDSA',
    notBefore: nbf ?? 0,
    signWith: await subtle.importKey('jwk', { kty, crv, x, d }, 'Ed25519', false, ['sign']),
    verifyWith: await subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']),
  };
}

async function importRefreshKey({ k, kid, nbf }: Jwk<'HS256'>): Promise<SigningKey> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', Buffer.from(k, 'base64url'), hmac, false, ['sign', 'verify']);
  return { kid, alg: 'HS256', notBefore: nbf ?? 0, signWith: key, verifyWith: key };
}

async function importSealingKey({ k, kid, nbf }: Jwk<'A256GCM'>): Promise<SealingKey> {
  const bytes = Buffer.from(k, 'base64url');
  return {
    kid,
    notBefore: nbf ?? 0,
    key: await subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']),
  };
}

/** The keyring of a running instance: always the newest reading that was sound. */
export interface Keyring {
  current(): Keys;
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
      log.info({ keys: keys.publicJwks.keys.map(({ kid }) => kid) }, 'keyring read again');
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
  return { current: () => keys, close: () => clearInterval(timer) };
}
