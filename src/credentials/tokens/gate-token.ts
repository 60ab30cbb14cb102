/** The token in the cookie of a service behind the gate, which nobody but the gateway reads. (Interface 22) */
import type { Config } from '../../config/config.js';
import { epochSeconds } from '../../platform/clock.js';
import { isUuid } from '../../platform/ids.js';
import type { Keyring } from '../keyring/keyring.js';
import { readOwnJwt, signJwt } from './compact-jws.js';

/** A browser that has a session then gets a new one without a form. */
const GATE_SECONDS = 43_200;

export interface GateClaims {
  /** User id, a UUID */
  sub: string;
  /** The session: `family_id` of Spec 2.6 */
  sid: string;
}

type Settings = Pick<Config, 'publicUrl'>;

/** @param origin of the service, for which alone it is good */
export function signGateToken(
  keyring: Keyring,
  { publicUrl }: Settings,
  { sub, sid }: GateClaims,
  origin: string,
  now: Date,
): string {
  const iat = epochSeconds(now);
  return signJwt({ iss: publicUrl, aud: origin, sub, sid, iat, exp: iat + GATE_SECONDS }, keyring.inUse('gate', now));
}

/**
 * The claims, also of an expired token; `expiresAt` is in seconds since the epoch.
 * @returns undefined if the gateway has not made it for this origin
 */
export function readGateToken(
  keyring: Keyring,
  { publicUrl }: Settings,
  token: string,
  origin: string,
): (GateClaims & { expiresAt: number }) | undefined {
  const claims = readOwnJwt(token, (header) => keyring.byHeader('gate', header));
  if (claims === undefined || claims.iss !== publicUrl || claims.aud !== origin) return undefined;
  const { sub, sid, exp = 0 } = claims;
  if (!isUuid(sub) || !isUuid(sid)) return undefined;
  return { sub, sid, expiresAt: exp };
}
