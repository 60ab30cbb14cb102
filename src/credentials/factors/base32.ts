/** Base32 without padding: secrets of TOTP and recovery codes. (RFC 4648 section 6, Interface 20) */

export const RFC_4648 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Crockford's digits, without I, L, O and U. */
export const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export function toBase32(bytes: Uint8Array, alphabet: string): string {
  let text = '';
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      text += alphabet[pending >> pendingBits];
      pending &= (1 << pendingBits) - 1;
    }
  }
  return pendingBits === 0 ? text : text + alphabet[pending << (5 - pendingBits)];
}

/** The bytes of what `toBase32` has written; a bug throws. */
export function fromBase32(text: string, alphabet: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8));
  let pending = 0;
  let pendingBits = 0;
  let length = 0;
  for (const digit of text) {
    const value = alphabet.indexOf(digit);
    if (value < 0) throw new Error('not base32');
    pending = (pending << 5) | value;
    pendingBits += 5;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    bytes[length] = pending >> pendingBits;
    length += 1;
    pending &= (1 << pendingBits) - 1;
  }
  return bytes;
}
