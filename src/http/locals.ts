/** The types of `res.locals`, for all of Express. */
import type { PresentedKind } from '../callers/kinds.js';
import type { AccessClaims } from '../credentials/tokens/jwt.js';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { Budget } from '../platform/budget.js';
import type { RequestIds } from '../platform/logger.js';
import type { Span } from '../platform/tracing.js';
import type { RequestOutcome } from './outcomes.js';

/** Set by `request-log.ts` before anything reads them. */
export interface RequestLocals {
  /** For every line about the request */
  ids: RequestIds;
  /** Where the request came from */
  origin: RequestOrigin;
  /** How long the request may wait for its stores */
  budget: Budget;
  /** Of the request, if tracing is on */
  span?: Span | undefined;
  /** Of the access token, on a route for users' own factors */
  claims?: AccessClaims;
  /** Outcome of the request, for the log and the counters */
  outcome?: RequestOutcome;
  /** Origin for which a call was refused, safe to log */
  refusedOrigin?: string;
  /** At `/graphql`, and of a request that a proxy asks about: the kind of credential, once it has been read */
  caller?: PresentedKind;
  /** Of an answer that lasts: when it began, as of `performance.now()` */
  beganMs?: number;
  /** The route, for the log and the counters, if it is not the path */
  route?: string;
  /** Interface 18, of a question of a proxy: the origin of the service, once it is known to be one of FORWARD_AUTH_ORIGINS */
  service?: string;
}

declare global {
  namespace Express {
    interface Locals extends RequestLocals {}
  }
}
