/** Interface 6: secrets of API keys at rest, as compact JWE (RFC 7516), `dir` + `A256GCM`, bound to the key id. */
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Keyring } from './keyring/keyring.js';

/** The secret, readable only by who holds the keyring. */
export function sealSecret(keyring: Keyring, keyId: string, secret: string, now: Date): Promise<string> {
  const { kid, key } = keyring.inUse('sealing', now);
  return new CompactEncrypt(Buffer.from(secret, 'ascii'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, key_id: keyId })
    .encrypt(key);
}

/** The secret, or undefined where the seal is broken, was made by a key we do not hold, or belongs to another key id. */
export async function openSealedSecret(keyring: Keyring, keyId: string, sealed: string): Promise<string | undefined> {
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(
      sealed,
      ({ kid }) => {
        const sealing = keyring.byKid('sealing', kid);
        if (sealing === undefined) throw new errors.JWEInvalid('no such key');
        return sealing.key;
      },
      { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
    );
    return protectedHeader['key_id'] === keyId ? Buffer.from(plaintext).toString('ascii') : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

export interface OpenedSecret {
  /** As it is stored */
  sealed: string;
  secret: string;
}

/** By key id */
export type SecretCache = LRUCache<string, readonly OpenedSecret[]>;

/** How long a secret is kept opened: milliseconds. */
const KEPT_MS = 10_000;
/** Of how many keys: some 10 MB. */
const MAX_KEPT = 10_000;

/** For secrets that have been right, so that a busy key's are not opened for each request. In memory alone. */
export function createSecretCache(): SecretCache {
  return new LRUCache({ max: MAX_KEPT, ttl: KEPT_MS, ttlAutopurge: true });
}

/** `kid` of the key that sealed this secret. */
export function sealedBy(sealed: string): string | undefined {
  return decodeProtectedHeader(sealed).kid;
}
