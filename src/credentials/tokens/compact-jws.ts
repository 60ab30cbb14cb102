/**
 * RFC 7515 section 7.1: JWTs as we write them, and as we know them again. By node:crypto and without a promise: those of
 * WebCrypto cost three times as much, and wait behind the hashing of passwords.
 */
import { isAscii } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { SigningKey } from '../keyring/import-keys.js';

export function signJwt(claims: JWTPayload, key: SigningKey): string {
  const signed = `${key.header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${key.sign(signed)}`;
}

/**
 * What a token says that is, byte for byte, as `signJwt` writes it; its claims are not looked at.
 * @param keyOf the key that writes this first part
 * @returns undefined for any other token, which may be good all the same: jose is to judge it
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
