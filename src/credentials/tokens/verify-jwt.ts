/** Verifies JWTs with jose, according to RFC 8725. */
import {
  compactVerify,
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { SigningKey } from '../keyring/import-keys.js';

export interface Verified {
  claims: JWTPayload;
  isExpired: boolean;
  key: SigningKey;
}

type KeyOf = (header: JWTHeaderParameters) => SigningKey | undefined;

/**
 * Verifies with the key that the header names, by its `kid`, and that key's own algorithm (RFC 8725 sections 3.1 and 3.10).
 * @returns undefined if anything but its expiry is wrong
 */
export async function verifyJwt(
  token: string,
  keyOf: KeyOf,
  now: Date,
  expected: JWTVerifyOptions,
): Promise<Verified | undefined> {
  let key: SigningKey | undefined;
  try {
    const { payload: claims } = await jwtVerify(
      token,
      (header) => {
        key = namedKey(header, keyOf);
        return key.verifyWith;
      },
      { ...expected, requiredClaims: ['exp'], currentDate: now },
    );
    return key && { claims, isExpired: false, key };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return key && { claims: error.payload, isExpired: true, key }; // `exp` is checked last
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** True if the key that the header names has signed it, whatever it says. */
export async function isSigned(token: string, keyOf: KeyOf): Promise<boolean> {
  try {
    await compactVerify(token, (header) => namedKey(header as JWTHeaderParameters, keyOf).verifyWith);
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

function namedKey(header: JWTHeaderParameters, keyOf: KeyOf): SigningKey {
  const key = keyOf(header);
  if (key === undefined || key.alg !== header.alg) throw new errors.JWSInvalid('no such key');
  return key;
}
