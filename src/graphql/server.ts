/** Apollo Server, which answers `POST /graphql`. (Interface 7) */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { AnswerGraphql, GraphqlRequest } from '../callers/graphql-over-http.js';
import { createConcurrency } from './concurrency.js';
import { createContext, type GraphqlContext, type GraphqlDependencies } from './context.js';
import { formatError } from './errors.js';
import { costLimit, DOCUMENT_CACHE_SIZE, MAX_ERRORS, MAX_TOKENS, validationRules } from './limits.js';
import { createMask } from './masking.js';
import { createSchema } from './schema.js';

export interface GraphqlServer {
  answer: AnswerGraphql;
  stop(): Promise<void>;
}

export async function createGraphqlServer(deps: GraphqlDependencies): Promise<GraphqlServer> {
  const { config } = deps;
  const { introspection } = config.graphql;
  const schema = await createSchema();
  const mask = createMask(schema);
  const concurrency = createConcurrency();
  /** `formatError` does not learn from Apollo which request an error belongs to. */
  const answering = new AsyncLocalStorage<GraphqlRequest>();
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: DOCUMENT_CACHE_SIZE,
    sizeCalculation: (document) => JSON.stringify(document).length,
  });
  const server = new ApolloServer<GraphqlContext>({
    schema,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    documentStore: {
      get: async (hash) => documents.get(hash),
      set: async (hash, document) => void documents.set(hash, document),
      delete: async (hash) => documents.delete(hash),
    },
    introspection,
    hideSchemaDetailsFromClientErrors: !introspection,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationRules,
    validationOptions: { maxErrors: MAX_ERRORS },
    executionOptions: { maxCoercionErrors: 1 },
    plugins: [
      costLimit(schema, mask),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
    ],
    formatError: formatError(deps, mask, () => answering.getStore()?.ids),
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await server.start();

  const answer: AnswerGraphql = async (request) => {
    const sent = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    const { body, headers, status } = await server.executeHTTPGraphQLRequest({
      // `search` would have a query by GET.
      httpGraphQLRequest: { method: 'POST', headers: new HeaderMap(sent), search: '', body: request.json },
      context: () => createContext(deps, concurrency, request),
    });
    if (body.kind !== 'complete') throw new Error('The schema has neither @defer nor @stream');
    return { status: status ?? 200, headers, body: body.string };
  };
  return {
    answer: (request) => answering.run(request, answer, request),
    stop: () => server.stop(),
  };
}
