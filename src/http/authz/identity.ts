/** The identity of the caller, which a service learns from fields of the answer. (Interface 18) */
import type { Response } from 'express';
import type { Resolution } from '../../callers/caller.js';
import { kindOf } from '../../callers/kinds.js';
import { type Assertion, signAssertion } from '../../credentials/tokens/assertion.js';
import type { Deps } from '../../services.js';
import type { OriginalRequest } from './original-request.js';

export type KnownCaller = Extract<Resolution, { kind: 'caller' }>;

/** In a field that has nothing to say. Each field is always there, so that none of the client's can take its place. */
const NOTHING = '-';

interface IdentityFields {
  'X-Auth-Caller-Type': string;
  'X-Auth-Caller-Id': string;
  'X-Auth-Role': string;
  'X-Auth-Scopes': string;
  'X-Auth-Assertion': string;
}

/** Of a request without a caller, a preflight. */
const NOBODY: IdentityFields = {
  'X-Auth-Caller-Type': NOTHING,
  'X-Auth-Caller-Id': NOTHING,
  'X-Auth-Role': NOTHING,
  'X-Auth-Scopes': NOTHING,
  'X-Auth-Assertion': NOTHING,
};

export function setNobody(res: Response): void {
  res.set({ ...NOBODY });
}

/** @param assertion undefined if the rule wants none */
export function setIdentity(
  res: Response,
  { caller }: KnownCaller,
  scopes: readonly string[],
  assertion: string | undefined,
): void {
  const fields: IdentityFields = {
    'X-Auth-Caller-Type': caller.callerType,
    'X-Auth-Caller-Id': kindOf(caller).id(caller as never),
    'X-Auth-Role': 'role' in caller ? caller.role : NOTHING,
    'X-Auth-Scopes': scopes.join(' ') || NOTHING,
    'X-Auth-Assertion': assertion ?? NOTHING,
  };
  res.set({ ...fields });
}

/** The assertion of a caller, for the service at `original.origin` alone. */
export function assertionOf(
  { clock, config, keyring }: Deps<'clock' | 'config' | 'keyring'>,
  known: KnownCaller,
  scopes: readonly string[],
  { method, origin, target }: OriginalRequest,
): string {
  const { caller } = known;
  const assertion: Assertion = {
    aud: origin,
    sub: kindOf(caller).id(caller as never),
    caller_type: caller.callerType,
    ...('role' in caller ? { role: caller.role } : { service_name: caller.serviceName }),
    scopes,
    method,
    uri: target,
    ...bodyOf(known),
  };
  return signAssertion(keyring, config, assertion, clock.now());
}

/** Only a signature says anything about a body. */
function bodyOf({ caller, contentDigest }: KnownCaller): Pick<Assertion, 'body' | 'content_digest'> {
  if (caller.callerType !== 'api_key') return { body: '-' };
  return contentDigest === undefined ? { body: 'none' } : { body: 'digest', content_digest: contentDigest };
}

/**
 * True if a request has a field that a service could take for ours. In variables such as HTTP_X_AUTH_ROLE every character
 * but letters and digits has become the same `_`, so `X_Auth_Role`, `X.Auth.Role` and `X~Auth~Role` are one field there.
 */
export function hasIdentityField(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, i) => i % 2 === 0 && IDENTITY_FIELD.test(name));
}

const IDENTITY_FIELD = /^x[^a-z\d]auth[^a-z\d]/i;
