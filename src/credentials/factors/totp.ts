/** Codes of authenticator apps: SHA-1, 6 digits, 30 s, secrets of 160 bits. (RFC 6238, Interface 20) */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { fromBase32, RFC_4648, toBase32 } from './base32.js';

export const TOTP_STEP_SECONDS = 30;

const SECRET_BYTES = 20;
const DIGITS = 6;
/** More than anybody writes into six digits; the rest is not read. */
const MAX_CODE_LENGTH = 32;

/** 160 random bits in base32, without padding: 32 characters. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES), RFC_4648);
}

/**
 * What the QR code says, by Google's Key Uri Format.
 * @param issuer PRODUCT_NAME
 * @param account e-mail of the user
 */
export function totpUri(secret: string, issuer: string, account: string): string {
  const [from, of] = [issuer, account].map(labelPart);
  return `otpauth://totp/${from}:${of}?secret=${secret}&issuer=${from}&algorithm=SHA1&digits=${DIGITS}&period=${TOTP_STEP_SECONDS}`;
}

/** A colon, even if it is encoded, separates the issuer from the account. */
function labelPart(text: string): string {
  return encodeURIComponent(text.replaceAll(':', ' '));
}

/**
 * The step whose code this is: the one of `now` or the one before. The work is the same for every code.
 * @param code as typed: white space in it is ignored
 * @returns seconds since 1970 divided by 30; undefined if it is neither code, or not six ASCII digits
 */
export function matchingStep(secret: string, code: string, now: Date): number | undefined {
  const digits = code.length > MAX_CODE_LENGTH ? '' : code.replace(/\s/g, '');
  const isCode = /^[0-9]{6}$/.test(digits);
  const presented = Buffer.from(isCode ? digits : '000000', 'ascii');

  const key = fromBase32(secret, RFC_4648);
  const current = Math.floor(now.getTime() / 1000 / TOTP_STEP_SECONDS);
  const isCurrent = timingSafeEqual(presented, codeOf(key, current));
  const isPrevious = timingSafeEqual(presented, codeOf(key, current - 1));
  if (!isCode) return undefined;
  if (isCurrent) return current;
  return isPrevious ? current - 1 : undefined;
}

/** RFC 4226 section 5.3. */
function codeOf(key: Buffer, step: number): Buffer {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const code = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS;
  return Buffer.from(String(code).padStart(DIGITS, '0'), 'ascii');
}
