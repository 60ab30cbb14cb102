/** Recovery codes: 128 random bits in Crockford's base32, stored as SHA-256. (Interface 20) */
import { createHash, randomBytes } from 'node:crypto';
import { CROCKFORD, toBase32 } from './base32.js';

const CODES = 10;
const CODE_BYTES = 16;
/** 26 characters. */
const GROUPS = [5, 5, 4, 4, 4, 4];

/** Ten codes such as `7ZQ3M-0V9KX-4T2H-NB8C-51WD-RJ6E`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => grouped(toBase32(randomBytes(CODE_BYTES), CROCKFORD)));
}

function grouped(code: string): string {
  let start = 0;
  return GROUPS.map((length) => {
    start += length;
    return code.slice(start - length, start);
  }).join('-');
}

/** SHA-256 of a code as somebody types it: in any case, with or without hyphens, with O for 0, and I or L for 1. */
export function recoveryCodeSha256(code: string): Buffer {
  const normal = code
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  return createHash('sha256').update(normal).digest();
}
