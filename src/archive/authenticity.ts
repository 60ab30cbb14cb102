/**
 * Authenticates an archive with a MAC over its content by each symmetric key of the keyring, so that any key that still
 * exists can verify it. A checksum alone is no protection: anyone who alters the file can recompute it. (Interface 9)
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import type { Header } from './format.js';
import { ArchiveRefusal } from './refusal.js';

type SymmetricJwk = Extract<PrivateJwk, { kty: 'oct' }>;

/** The `info` of HKDF (RFC 5869): no other use of these keys gives the same bytes. */
const LABEL = 'auth-gateway database archive';

/** The keys that make the MACs, including those whose `nbf` is in the future. */
export function symmetricKeys(jwks: readonly PrivateJwk[]): SymmetricJwk[] {
  return jwks.filter((jwk) => jwk.kty === 'oct');
}

/** @param digest SHA-256 of the content */
export function macBy({ k }: SymmetricJwk, digest: Buffer): Buffer {
  const key = hkdfSync('sha256', Buffer.from(k, 'base64url'), '', LABEL, 32);
  return createHmac('sha256', Buffer.from(key)).update(digest).digest();
}

/** A key of the keyring that can verify the file, and the index of its MAC in the last line. */
export interface Verifier {
  key: SymmetricJwk;
  index: number;
}

/** @throws {ArchiveRefusal} if no key can verify the file, unless `allowUnverified` */
export function verifiersOf(header: Header, jwks: readonly PrivateJwk[], allowUnverified: boolean): Verifier[] {
  const { authenticated_by: kids } = header;
  const verifiers = symmetricKeys(jwks).flatMap((key) => {
    const index = kids.indexOf(key.kid);
    return index < 0 ? [] : [{ key, index }];
  });
  if (verifiers.length > 0 || allowUnverified) return verifiers;
  throw new ArchiveRefusal(
    `the file cannot be verified: the keyring has none of its keys (${kids.join(', ') || 'it names none'}). Use the keyring ` +
      'of that time, or a later one that still has one of these keys. --unauthenticated imports it anyway: ' +
      `${UNAUTHENTICATED}. Nothing was changed`,
  );
}

/** The risk of importing an unverified file. */
export const UNAUTHENTICATED =
  'its checksum shows damage, not tampering, so whoever could write the file may have added an administrator';

/** @throws {ArchiveRefusal} unless the MAC of every verifier is right */
export function refuseAltered(verifiers: readonly Verifier[], digest: Buffer, macs: readonly string[]): void {
  const isGenuine = verifiers.every(({ key, index }) => {
    const claimed = Buffer.from(macs[index] ?? '', 'hex');
    const expected = macBy(key, digest);
    return claimed.length === expected.length && timingSafeEqual(claimed, expected);
  });
  if (!isGenuine) throw new ArchiveRefusal('the file was altered after it was written: nothing was imported');
}
