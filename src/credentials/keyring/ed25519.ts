/**
 * Signs with Ed25519 (RFC 8032). libsodium writes the same bytes as Node's OpenSSL in half the time, and this signature is
 * the largest part of a refresh. Its package is optional: without a binary for this system, such as musl, Node signs.
 */
import { type KeyObject, sign } from 'node:crypto';
import { createRequire } from 'node:module';

/** What is used of `sodium-native`, which has no types. Results are written into the first arguments. */
interface Sodium {
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
}

/**
 * @param sodium null: Node signs
 * @returns a function that signs ASCII text, in base64url
 */
export function ed25519Signer(key: KeyObject, sodium = loadSodium()): (text: string) => string {
  if (sodium === null) return (text) => sign(null, Buffer.from(text), key).toString('base64url');
  const { d = '' } = key.export({ format: 'jwk' });
  const publicKey = Buffer.alloc(32);
  const secretKey = Buffer.alloc(64);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, Buffer.from(d, 'base64url'));
  const signature = Buffer.alloc(64);
  return (text) => {
    sodium.crypto_sign_detached(signature, Buffer.from(text), secretKey);
    return signature.toString('base64url');
  };
}

/** @returns null if its package is not installed, or has no binary for this system */
export function loadSodium(require = createRequire(import.meta.url)): Sodium | null {
  try {
    return require('sodium-native') as Sodium;
  } catch {
    return null;
  }
}
