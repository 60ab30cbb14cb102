/**
 * Interface 9: whether a file is as an export wrote it. A MAC of the whole content, by each symmetric key of the keyring,
 * so that any of them which is still there verifies it. A checksum alone can be made anew by whoever alters the file.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { PrivateJwk } from '../credentials/keyring/private-jwks.js';
import type { Header } from './format.js';
import { ArchiveRefusal } from './refusal.js';

type SymmetricJwk = Extract<PrivateJwk, { kty: 'oct' }>;

/** The `info` of HKDF (RFC 5869): no other use of these keys gives the same bytes. */
const LABEL = 'auth-gateway database archive';

/** Those by which an export authenticates, future ones too. */
export function symmetricKeys(jwks: readonly PrivateJwk[]): SymmetricJwk[] {
  return jwks.filter((jwk) => jwk.kty === 'oct');
}

/** @param digest SHA-256 of the content */
export function macBy({ k }: SymmetricJwk, digest: Buffer): Buffer {
  const key = hkdfSync('sha256', Buffer.from(k, 'base64url'), '', LABEL, 32);
  return createHmac('sha256', Buffer.from(key)).update(digest).digest();
}

/** A key of the keyring that can verify the file, with the place of its MAC in the last line. */
export interface Verifier {
  key: SymmetricJwk;
  at: number;
}

/** @param takesAny true if a file is wanted too that nobody can verify @throws {ArchiveRefusal} if this is one, and is not */
export function verifiersOf(header: Header, jwks: readonly PrivateJwk[], takesAny: boolean): Verifier[] {
  const kids = header.format_version === 1 ? [] : header.authenticated_by;
  const verifiers = symmetricKeys(jwks).flatMap((key) => {
    const at = kids.indexOf(key.kid);
    return at < 0 ? [] : [{ key, at }];
  });
  if (verifiers.length > 0 || takesAny) return verifiers;
  const why =
    header.format_version === 1
      ? 'the file cannot be verified, since the version that wrote it did not authenticate files yet'
      : `the file cannot be verified: the keyring has none of its keys (${kids.join(', ') || 'it names none'}). Put the keyring there that ` +
        'was in use then, or a later one that still has one of them';
  throw new ArchiveRefusal(
    `${why}. --unauthenticated imports it all the same: ${UNAUTHENTICATED}. Nothing was changed`,
  );
}

/** What remains without a key. */
export const UNAUTHENTICATED =
  'its checksum shows damage, not tampering, so whoever could write the file can have made an administrator in it';

/** @throws {ArchiveRefusal} unless every verifier finds its MAC */
export function refuseAltered(verifiers: readonly Verifier[], digest: Buffer, macs: readonly string[]): void {
  const isGenuine = verifiers.every(({ key, at }) => {
    const told = Buffer.from(macs[at] ?? '', 'hex');
    const right = macBy(key, digest);
    return told.length === right.length && timingSafeEqual(told, right);
  });
  if (!isGenuine) throw new ArchiveRefusal('the file was altered after it was written: nothing was imported');
}
