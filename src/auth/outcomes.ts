/** What the three routes can answer. */
import type { TokenPair } from '../credentials/tokens/jwt.js';
import type { Refused } from '../platform/refused.js';
import type { Proof } from './retries.js';

/** Every row of Spec 7 that has a `detail`. The tables of refusals are in `http/refusals.ts`. */
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

/** What the three routes refuse beyond Spec 7 (Interface 5). */
export type FurtherRefusal = 'ambiguous_cookie' | 'rate_limited';

/** A refusal that ends by itself. */
interface Temporary<Reason extends string> extends Refused<Reason> {
  /** Until then, rounded up: at least 1 */
  retryAfterSeconds: number;
}

/** Until `locked_until`. */
export type Locked = Temporary<'account_locked'>;

/** Until the minute of the session ends. */
type RateLimited = Temporary<'rate_limited'>;

/** A grant (Spec 2.2 and 2.3) with the refresh JWT for the cookie, `retried` where it was given before; or a refusal. */
export type Outcome =
  | ({ kind: 'granted' } & TokenPair)
  | ({ kind: 'retried'; proof: Proof } & TokenPair)
  | Refused<Exclude<Refusal | FurtherRefusal, 'account_locked' | 'rate_limited'>>
  | Locked
  | RateLimited;
