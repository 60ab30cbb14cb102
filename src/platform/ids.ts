/** The only place that makes identifiers and random text. */
import { randomBytes, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A UUID in time order (RFC 9562 section 5.7), so that growing tables append to their indexes. */
export function uuidInTimeOrder(at: Date): string {
  return v7({ msecs: at.getTime() });
}

/** True for the text form of RFC 9562 section 4, in either case and of any version. A text that is none stays a text. */
export function isUuid(value: string): boolean;
export function isUuid(value: unknown): value is string;
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID_PATTERN.test(value);
}

/** `length` characters of base62, each uniformly random (5.95 bits a character). */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');
}

/** `bytes` random bytes in base64url. */
export function randomBase64url(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
