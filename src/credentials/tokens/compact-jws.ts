/**
 * RFC 7515 section 7.1: signs our JWTs and recognises them. Synchronously, by node:crypto or libsodium: WebCrypto costs three
 * times as much or more, and its jobs wait behind password hashing.
 */
import { isAscii } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { SigningKey } from '../keyring/import-keys.js';

/** @param header the protected header, in base64url, if it is not that of the key's tokens */
export function signJwt(claims: JWTPayload, key: SigningKey, header = key.header): string {
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${key.sign(signed)}`;
}

/** The claims of a token that has been verified. */
export function readClaims(token: string): JWTPayload {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/**
 * The unchecked claims of a token that is byte for byte as `signJwt` writes it.
 * @param keyOf finds the key by its protected header
 * @returns undefined for any other token, which may still be valid: `verifyJwt` decides
 */
export function readOwnJwt(token: string, keyOf: (header: string) => SigningKey | undefined): JWTPayload | undefined {
  const [header = '', payload = '', signature = '', more] = token.split('.', 4);
  const key = keyOf(header);
  if (key === undefined || more !== undefined) return undefined;
  const expected = Buffer.from(key.sign(`${header}.${payload}`));
  const presented = Buffer.from(signature);
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined;
  const json = Buffer.from(payload, 'base64url');
  if (!isAscii(json) || json.toString('base64url') !== payload) return undefined;
  try {
    const claims: unknown = JSON.parse(json.toString('latin1'));
    return typeof claims === 'object' && claims !== null ? (claims as JWTPayload) : undefined;
  } catch {
    return undefined;
  }
}
