/** The outcomes of login, refresh and logout. */
import type { PasswordFault } from '../credentials/passwords/password-rules.js';
import type { TokenPair } from '../credentials/tokens/jwt.js';
import type { SpecReason } from '../domain/error-reasons.js';
import type { Refused } from '../platform/refused.js';
import type { HalfLogin } from './factors/ceremonies.js';
import type { Proof } from './retries.js';

/** Refusals that Interface 5 adds to those of Spec 7. `http/refusals.ts` has the answers to all. */
export type FurtherRefusal = 'ambiguous_cookie' | 'rate_limited';

/** Refusals of the routes of Interface 15, next to `account_locked`. */
export type PasswordRefusal = 'current_password_wrong' | 'link_invalid';

/** Refusals of Interface 20, next to `account_locked` and `invalid_credentials`. */
export type FactorRefusal =
  | 'second_factor_required'
  | 'challenge_invalid'
  | 'factor_wrong'
  | 'confirmation_required'
  | 'totp_exists'
  | 'passkey_exists'
  | 'too_many_passkeys'
  | 'factor_unknown';

/** Refusals of a change of an e-mail (Interface 21). */
export type EmailRefusal = 'link_invalid' | 'email_taken';

/** A new password breaks a rule. */
export interface RefusedPassword extends Refused<'body_invalid'> {
  fault: PasswordFault;
}

/** A refusal that ends after some time. */
interface Temporary<Reason extends string> extends Refused<Reason> {
  /** Rounded up, at least 1 */
  retryAfterSeconds: number;
}

export type Locked = Temporary<'account_locked'>;

type RateLimited = Temporary<'rate_limited'>;

/**
 * `granted`: new tokens (Spec 2.2 and 2.3), and for a login the cookie `device` (Interface 16). `retried`: a lost answer is
 * given again (Interface 12). Otherwise a refusal.
 */
export type Outcome =
  | ({ kind: 'granted'; deviceCookie?: string | undefined } & TokenPair)
  | ({ kind: 'retried'; proof: Proof } & TokenPair)
  | Refused<Exclude<SpecReason | FurtherRefusal | 'challenge_invalid', 'account_locked' | 'rate_limited'>>
  | (Refused<'second_factor_required'> & HalfLogin)
  | Locked
  | RateLimited;
