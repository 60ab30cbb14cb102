/** What is known of a request while it is answered: `res.locals`, with types for all of Express. */
import type { PresentedKind } from '../callers/kinds.js';
import type { Client } from '../domain/request-origin.js';
import type { Budget } from '../platform/budget.js';
import type { RequestIds } from '../platform/logger.js';
import type { RequestOutcome } from './outcomes.js';

/** Opened by `request-log.ts`, before all others read it. */
export interface RequestLocals {
  /** For every line about the request */
  ids: RequestIds;
  /** Where the request came from */
  client: Client;
  /** What it may wait for its stores */
  budget: Budget;
  /** What came of the request, in a word for the log and for the counters */
  outcome?: RequestOutcome;
  /** Of a call from another site: its origin, fit for a log */
  refusedOrigin?: string;
  /** At `/graphql`: the kind of credential, once it is looked at */
  caller?: PresentedKind;
}

declare global {
  namespace Express {
    interface Locals extends RequestLocals {}
  }
}
