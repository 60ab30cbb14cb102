/** GraphQL over HTTP: what `http/` asks and `graphql/` answers. The two never meet; `start/compose.ts` joins them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '../domain/request-origin.js';
import type { Budget } from '../platform/budget.js';
import type { RequestIds } from '../platform/logger.js';
import type { Resolution } from './caller.js';

export interface GraphqlRequest {
  /** For every line of the log about it */
  ids: RequestIds;
  /** What it may wait for its stores */
  budget: Budget;
  client: Client;
  headers: IncomingHttpHeaders;
  /** What the body holds: a SyntaxError where it is no JSON */
  json: unknown;
  /** True where the client has gone, so that nobody would read the answer */
  isGone(): boolean;
  /** Who is calling, to be asked once. @throws the database's error or {Outage} */
  resolveCaller(): Promise<Resolution>;
}

export interface GraphqlAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

export type AnswerGraphql = (request: GraphqlRequest) => Promise<GraphqlAnswer>;
