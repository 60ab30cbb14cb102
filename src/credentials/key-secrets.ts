/**
 * Ids and secrets of API and cron keys and password links, in a form that secret scanners can find and verify.
 * (Interface 6 and 15)
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from '../platform/ids.js';

export type KeyKind = 'api' | 'cron';

const PREFIXES = { api: { id: 'ak_', secret: 'aks_' }, cron: { id: 'ck_', secret: 'cks_' } } as const;

const ID_LENGTH = 20;
/** 43 characters of base62 hold 256 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

export function generateKeyId(kind: KeyKind): string {
  return PREFIXES[kind].id + randomBase62(ID_LENGTH);
}

export function generateKeySecret(kind: KeyKind): string {
  return generateSecret(PREFIXES[kind].secret);
}

/** The token of a password link (Interface 15). */
export function generateLinkToken(): string {
  return generateSecret('pl_');
}

/** The tokens of a change of an e-mail, and of the way back (Interface 21). */
export function generateEmailToken(kind: 'change' | 'undo'): string {
  return generateSecret(kind === 'change' ? 'el_' : 'eu_');
}

/** Prefix, 256 random bits, and their CRC-32 in six characters of base62 (most significant first). */
function generateSecret(prefix: string): string {
  const random = randomBase62(SECRET_LENGTH);
  return prefix + random + checksum(random);
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = (BASE62[rest % 62] ?? '') + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether a text is meant as a secret of a key, complete or not. */
export function isKeySecret(text: string): boolean {
  return Object.values(PREFIXES).some(({ secret }) => text.startsWith(secret));
}

/** Whether a text is a whole secret of an API key, by its form and checksum. */
export function isApiSecret(text: string): boolean {
  const [, random = '', check] = /^aks_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return check === checksum(random);
}

/** How a cron secret is stored: SHA-256 in hex. */
export function sha256Hex(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in constant time. */
export function secretMatches(secret: string, storedSha256: string): boolean {
  const presented = Buffer.from(sha256Hex(secret), 'ascii');
  const stored = Buffer.from(storedSha256, 'ascii');
  return presented.length === stored.length && timingSafeEqual(presented, stored);
}

/** Splits an `X-Internal-Key` field, `KEY_ID.SECRET`; undefined if it is malformed. */
export function parseInternalKey(field: string): { keyId: string; secret: string } | undefined {
  const [, keyId, secret] = /^(ck_[0-9A-Za-z]{20})\.(cks_[0-9A-Za-z]{49})$/.exec(field) ?? [];
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret };
}
