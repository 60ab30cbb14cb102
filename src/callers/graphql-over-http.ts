/** GraphQL over HTTP: what `http/` asks and `graphql/` answers. Neither imports the other; `start/compose.ts` joins them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestOrigin } from '../domain/request-origin.js';
import type { Budget } from '../platform/budget.js';
import type { RequestIds } from '../platform/logger.js';
import type { CallerRequest, Resolution } from './caller.js';

export interface GraphqlRequest {
  /** For every log line about it */
  ids: RequestIds;
  /** How long it may wait for its stores */
  budget: Budget;
  origin: RequestOrigin;
  headers: IncomingHttpHeaders;
  /** The parsed body; a SyntaxError if it is not JSON */
  json: unknown;
  /** Whether the client has disconnected, so that nobody would read the answer */
  isGone(): boolean;
  /** Whose caller is resolved */
  received: CallerRequest;
  /** Is called once, unless that fails: with the caller, or why there is none */
  resolved(resolution: Resolution): void;
}

export interface GraphqlAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

export type AnswerGraphql = (request: GraphqlRequest) => Promise<GraphqlAnswer>;
