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
  /** What the client reads: one answer, a stream of events (Interface 24), or either */
  accepts: 'answer' | 'stream' | 'both';
  /** Whether the client has disconnected, so that nobody would read the answer */
  isGone(): boolean;
  /** Calls back when it disconnects, or its answer has ended. */
  onGone(then: () => void): void;
  /** Whose caller is resolved */
  received: CallerRequest;
  /** Is called once, unless that fails: with the caller, or why there is none */
  resolved(resolution: Resolution): void;
}

export interface GraphqlAnswer {
  status: number;
  headers: ReadonlyMap<string, string>;
  /** Or a stream, which lasts until the client or its right is gone */
  body: string | AsyncIterable<string>;
}

export type AnswerGraphql = (request: GraphqlRequest) => Promise<GraphqlAnswer>;
