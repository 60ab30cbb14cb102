/** Resolves the caller of routes for users alone. Credentials of other kinds are not looked at. (Interface 15) */
import { type Explained, refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import { challengeOf } from './resolve-caller.js';
import { type BearerRefusal, type BearerToken, INVALID_TOKEN, readBearer, user } from './user.js';

export const MISSING_TOKEN = refused('missing_credentials', 'Send an access token');

/** With the `WWW-Authenticate` of its 401 (RFC 6750 section 3) */
export type RefusedUser = Explained<BearerRefusal | 'missing_credentials'> & { challenge: string };

/** @throws {ClockSkewed} if only the expiry of the token is left to check and this clock is wrong */
export function resolveUser(
  deps: Deps<'clock' | 'tokens' | 'tracing'>,
  rawHeaders: readonly string[],
): Promise<BearerToken | RefusedUser> {
  const isPresent = user.presents(rawHeaders);
  const attributes = { 'auth_gateway.caller': isPresent ? 'user' : 'none' };
  return deps.tracing.span('resolve caller', 'internal', attributes, async (span) => {
    const token = isPresent ? await readBearer(deps, rawHeaders) : MISSING_TOKEN;
    span?.setAttribute('auth_gateway.outcome', token.kind === 'refused' ? token.reason : 'success');
    if (token.kind !== 'refused') return token;
    return token.reason === 'missing_credentials' ? { ...token, challenge: challengeOf(user) } : withChallenge(token);
  });
}

/** For a valid token whose user has been deactivated or deleted. */
export function refuseTokenOfNobody(): RefusedUser {
  return withChallenge(INVALID_TOKEN);
}

function withChallenge(refusal: Explained<BearerRefusal>): RefusedUser {
  return { ...refusal, challenge: challengeOf(user, refusal) };
}
