/**
 * The entries of the cookie `device`. Each is a JWT (RFC 7519) for a user, their password and a secret of the device,
 * whose hash is in the database. (Interface 16)
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { addSeconds, epochSeconds } from '../platform/clock.js';
import { randomBase64url } from '../platform/ids.js';
import type { Keyring } from './keyring/keyring.js';
import { readOwnJwt, signJwt } from './tokens/compact-jws.js';

/** How long a device is known after its last login */
export const DEVICE_SECONDS = 180 * 86_400;

/** Number of users that one browser remembers */
const MAX_ENTRIES = 5;
const SEPARATOR = '~';
/** Entries of other users are sent back as they came. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Browsers store no longer ones. */
const MAX_LENGTH = 4_096;
const SECRET_BYTES = 16;

export interface DeviceEntry {
  jwt: string;
  userId: string;
  secret: string;
}

/** The user of an entry. A new password ends it. */
export interface EntryOwner {
  id: string;
  password_version: number;
}

const claimsSchema = z.object({ sub: z.uuid(), jti: z.string(), password_version: z.int(), iat: z.int() });

/**
 * The first entry of each user, unchecked.
 * @param cookies distinct values of the cookie; several count as none, since a sibling host may have set one of them
 */
export function readEntries([cookie = '', ...others]: readonly string[]): DeviceEntry[] {
  if (others.length > 0 || cookie.length > MAX_LENGTH) return [];
  const entries = new Map<string, DeviceEntry>();
  for (const jwt of cookie.split(SEPARATOR, MAX_ENTRIES)) {
    const { data: claims } = claimsSchema.safeParse(JWT.test(jwt) ? payloadOf(jwt) : undefined);
    if (claims === undefined || entries.has(claims.sub)) continue;
    entries.set(claims.sub, { jwt, userId: claims.sub, secret: claims.jti });
  }
  return [...entries.values()];
}

/** The value of the cookie: the entry, then those of other users, five in all. */
export function withEntry(entries: readonly DeviceEntry[], entry: DeviceEntry): string {
  const others = entries.filter(({ userId }) => userId !== entry.userId);
  return [entry, ...others.slice(0, MAX_ENTRIES - 1)].map(({ jwt }) => jwt).join(SEPARATOR);
}

export function newDeviceSecret(): string {
  return randomBase64url(SECRET_BYTES);
}

export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** @param secret of the device: a new one, or that of the entry which is renewed */
export function issueEntry(
  keyring: Keyring,
  { id, password_version }: EntryOwner,
  secret: string,
  now: Date,
): DeviceEntry {
  const claims = { sub: id, jti: secret, password_version, iat: epochSeconds(now) };
  return { jwt: signJwt(claims, keyring.inUse('device', now)), userId: id, secret };
}

/** Checked in the place of a missing entry, so that every login costs one signature. */
const PLACEHOLDER = 'header.payload.signature';

/** Whether this gateway issued the entry to this user, for their present password and within 180 days. */
export function isValidEntry(
  keyring: Keyring,
  entry: DeviceEntry | undefined,
  owner: EntryOwner | undefined,
  now: Date,
): boolean {
  const keyOf = (header: string) => keyring.byHeader('device', header) ?? keyring.inUse('device', now);
  const { data: claims } = claimsSchema.safeParse(readOwnJwt(entry?.jwt ?? PLACEHOLDER, keyOf));
  return (
    claims !== undefined &&
    claims.sub === owner?.id &&
    claims.password_version === owner.password_version &&
    addSeconds(new Date(claims.iat * 1000), DEVICE_SECONDS) > now
  );
}

function payloadOf(jwt: string): unknown {
  try {
    return JSON.parse(Buffer.from(jwt.split('.', 2)[1] ?? '', 'base64url').toString('latin1'));
  } catch {
    return undefined;
  }
}
