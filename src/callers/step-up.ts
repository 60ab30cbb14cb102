/** The challenge that asks a user for a better proof. (RFC 9470 section 3, Interface 18 and 20) */
import type { AssuranceLevel } from '../domain/assurance.js';
import { challengeWith } from './resolve-caller.js';
import { user } from './user.js';

/** What a proof must be; a part that is undefined asks for nothing. */
export interface WantedProof {
  acr?: AssuranceLevel | undefined;
  /** How long ago it may be */
  maxAgeSeconds?: number | undefined;
}

/** The value of `WWW-Authenticate`. */
export function stepUpChallenge({ acr, maxAgeSeconds }: WantedProof): string {
  const parameters = {
    error: 'insufficient_user_authentication',
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
    ...(acr !== undefined && { acr_values: acr }),
  };
  return challengeWith(user.scheme, parameters);
}
