/** The only place that makes identifiers and random text. */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A UUID in time order (RFC 9562 section 5.7), so that growing tables append to their indexes: the milliseconds since
 * 1970, the version, and the random part of a version 4 UUID.
 */
export function uuidInTimeOrder(at: Date): string {
  time.writeUIntBE(at.getTime(), 0, 6);
  const hex = time.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

const time = Buffer.alloc(6);

/** A random UUID (RFC 9562 section 5.4), for what no table stores. */
export function randomUuid(): string {
  return randomUUID();
}

/** The same for the same UUID in time order and the same part of what it names; another for each part. */
export function uuidOfPart(id: string, part: number): string {
  const hash = createHash('sha256').update(`${id} ${part}`).digest('hex');
  return `${id.slice(0, 19)}8${hash.slice(0, 3)}-${hash.slice(3, 15)}`;
}

/** True for the text form of RFC 9562 section 4, in either case and of any version. */
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
