/** Public keys of passkeys: which are usable. (RFC 9052 section 7, WebAuthn Level 3 section 5.8.5, Interface 20) */
import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** COSE algorithms, in the order of preference: ES256, EdDSA, RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257];

export type CborMap = ReadonlyMap<unknown, unknown>;

/** Labels of RFC 9053. */
const [KTY, ALG, CRV, X, Y] = [1, 3, -1, -2, -3];
/** Labels of RFC 8230. */
const [N, E] = [-1, -2];

/** A point of its curve, or a modulus of 2048 to 4096 bits with the exponent 65537, so that no check takes long. */
export function isUsableKey(key: CborMap): boolean {
  const jwk = jwkOf(key);
  if (jwk === undefined) return false;
  try {
    createPublicKey({ key: jwk, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

export function algorithmOf(key: CborMap): unknown {
  return key.get(ALG);
}

function jwkOf(key: CborMap): JsonWebKey | undefined {
  const text = (label: number, minBytes: number, maxBytes: number): string | undefined => {
    const value = key.get(label);
    if (!(value instanceof Uint8Array) || value.length < minBytes || value.length > maxBytes) return undefined;
    return Buffer.from(value).toString('base64url');
  };

  switch (`${key.get(KTY)} ${key.get(ALG)}`) {
    case '1 -8': {
      const x = text(X, 32, 32);
      return key.get(CRV) === 6 && x !== undefined ? { kty: 'OKP', crv: 'Ed25519', x } : undefined;
    }
    case '2 -7': {
      const [x, y] = [text(X, 32, 32), text(Y, 32, 32)];
      return key.get(CRV) === 1 && x !== undefined && y !== undefined ? { kty: 'EC', crv: 'P-256', x, y } : undefined;
    }
    case '3 -257': {
      const [n, e] = [text(N, 256, 512), text(E, 3, 3)];
      return n !== undefined && e === 'AQAB' ? { kty: 'RSA', n, e } : undefined;
    }
    default:
      return undefined;
  }
}
