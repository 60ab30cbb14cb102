/** What a caller may change, by the rows at that time. (Interface 11 and 20) */
import type { Role } from './roles.js';
import type { Scopes } from './scopes.js';

/** CONFIRM_SECONDS and SECOND_FACTOR_ROLES */
export interface StandingSettings {
  confirmSeconds: number;
  secondFactorRoles: readonly Role[];
}

/** The proof that a change needs (RFC 9470 section 3). */
export interface NeededProof {
  /** How recent it must be: seconds */
  maxAge: number;
  /** Undefined: the password will do, since the user has no second factor */
  acrValues?: ['aal2'];
}

export interface Standing {
  scopes: Scopes;
  /** Undefined if the session has proved enough, and for keys */
  needs?: NeededProof | undefined;
}
