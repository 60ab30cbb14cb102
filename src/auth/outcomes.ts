/** What the three routes can answer. A refusal is a value that commits; only a bug is an exception. */

/** Every row of Spec 7 that has a `detail`; the rows themselves are in `http/refusals.ts`. */
export type Refusal =
  | 'invalid_credentials'
  | 'account_locked'
  | 'no_refresh_token'
  | 'invalid_refresh_token'
  | 'wrong_token_type'
  | 'claim_missing'
  | 'jti_not_uuid'
  | 'record_unknown'
  | 'record_revoked'
  | 'record_expired';

export interface Refused {
  kind: 'refused';
  refusal: Refusal;
}

/** Spec 2.2 and 2.3, and the new refresh JWT for the cookie. */
export interface Granted {
  kind: 'granted';
  accessToken: string;
  refreshToken: string;
}

export function refused(refusal: Refusal): Refused {
  return { kind: 'refused', refusal };
}
