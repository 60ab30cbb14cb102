/** What is known of a request while it is answered: `res.locals`, with types for all of Express. */
import type { Refusal } from '../auth/outcomes.js';
import type { Caller, CallerRefusal } from '../callers/caller.js';
import type { Client } from '../remote-client.js';

/** What came of a request, in a word for the log and for `auth_outcomes_total`. */
export type RequestOutcome =
  | Refusal
  | 'login_success'
  | 'refresh_success'
  | 'logout'
  | 'logout_without_session'
  | 'cross_site'
  | 'login_rate_limited'
  | 'session_rate_limited'
  | 'unparsed'
  | `caller_${Caller['callerType']}`
  | `caller_refused_${CallerRefusal | 'rate_limited' | 'error'}`;

/** Opened by `request-log.ts`, before all others read it. */
export interface Exchange {
  /** In the log, and in X-Request-Id of the answer */
  requestId: string;
  /** Where the request came from */
  client: Client;
  outcome?: RequestOutcome;
}

declare global {
  namespace Express {
    interface Locals extends Exchange {}
  }
}
