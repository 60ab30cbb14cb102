/**
 * Stored secrets of API keys and webhooks, and tokens that wait for a mail, as compact JWE (RFC 7516), `dir` +
 * `A256GCM`, each bound to the id of its row. (Interface 6 and 17)
 */
import { LRUCache } from 'lru-cache';
import type { Keyring } from './keyring/keyring.js';

export async function sealSecret(keyring: Keyring, keyId: string, secret: string, now: Date): Promise<string> {
  const { CompactEncrypt } = await import('./compact-jwe.js');
  const { kid, key } = keyring.inUse('sealing', now);
  return new CompactEncrypt(Buffer.from(secret, 'ascii'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, key_id: keyId })
    .encrypt(key);
}

/** The secret; undefined if the seal is broken, its key is not in the keyring, or it belongs to another key id. */
export async function openSealedSecret(keyring: Keyring, keyId: string, sealed: string): Promise<string | undefined> {
  const { compactDecrypt, errors } = await import('./compact-jwe.js');
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
  sealed: string;
  secret: string;
}

/** By key id */
export type SecretCache = LRUCache<string, readonly OpenedSecret[]>;

const CACHE_MS = 10_000;
/** Keys in the cache: about 10 MB. */
const MAX_CACHED_KEYS = 10_000;

/** Caches secrets that have matched a request, so that those of a busy key are not opened each time. In memory only. */
export function createSecretCache(): SecretCache {
  return new LRUCache({ max: MAX_CACHED_KEYS, ttl: CACHE_MS, ttlAutopurge: true });
}

/** `kid` of the key that sealed this secret. */
export function sealedBy(sealed: string): string | undefined {
  const [header = ''] = sealed.split('.');
  return JSON.parse(Buffer.from(header, 'base64url').toString()).kid;
}
