/** The assertion, a JWT (RFC 7519) by which a service knows who sent the request that it received. (Interface 18) */
import type { Config } from '../../config/config.js';
import { epochSeconds } from '../../platform/clock.js';
import { randomUuid } from '../../platform/ids.js';
import type { Keyring } from '../keyring/keyring.js';
import { signJwt } from './compact-jws.js';

/** How long it is valid: the service checks it when the request arrives. */
export const ASSERTION_SECONDS = 60;

export interface Assertion {
  /** The origin of the service */
  aud: string;
  /** Id of the user or key */
  sub: string;
  caller_type: string;
  /** Of a user */
  role?: string;
  /** Of a key */
  service_name?: string;
  scopes: readonly string[];
  method: string;
  /** Path and query of the request, as sent */
  uri: string;
  /** `digest`: the signature covers `content_digest`, and the service compares it. `none`: it covers no body. `-`: not signed */
  body: 'digest' | 'none' | '-';
  /** `Content-Digest` (RFC 9530), as sent */
  content_digest?: string;
}

/** Signed by the access key in use, with a `typ` of its own (RFC 8725 section 3.11), so that it is no access token. */
export function signAssertion(
  keyring: Keyring,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  assertion: Assertion,
  now: Date,
): string {
  const key = keyring.inUse('access', now);
  const iat = epochSeconds(now);
  const claims = { iss: publicUrl, ...assertion, iat, exp: iat + ASSERTION_SECONDS, jti: randomUuid() };
  return signJwt({ ...claims, scopes: [...assertion.scopes] }, key, key.assertionHeader);
}
