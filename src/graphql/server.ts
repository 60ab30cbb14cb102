/** Apollo Server, which answers `POST /graphql`. No other file imports it. (Interface 7 and 24) */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { AnswerGraphql, GraphqlRequest } from '../callers/graphql-over-http.js';
import { createConcurrency } from './concurrency.js';
import { createContext, type GraphqlContext, type GraphqlDependencies } from './context.js';
import { misfitsOf } from './document-fit.js';
import { formatError } from './errors.js';
import {
  type CostLimit,
  createCostLimit,
  DOCUMENT_CACHE_SIZE,
  MAX_ERRORS,
  MAX_TOKENS,
  TRUSTED_CACHE_SIZE,
  validationRules,
} from './limits.js';
import { createMask } from './masking.js';
import { createSchema } from './schema.js';

export interface GraphqlServer {
  answer: AnswerGraphql;
  stop(): Promise<void>;
}

export async function createGraphqlServer(deps: GraphqlDependencies): Promise<GraphqlServer> {
  const { config, documents, log } = deps;
  const { introspection } = config.graphql;
  const schema = await createSchema();
  const mask = createMask(schema);
  const concurrency = createConcurrency();
  /** `formatError` does not learn from Apollo which request an error belongs to. */
  const answering = new AsyncLocalStorage<GraphqlRequest>();
  const [trusted, others] = [cacheOf(TRUSTED_CACHE_SIZE), cacheOf(DOCUMENT_CACHE_SIZE)];
  /** Other texts do not push trusted ones out. @param key ends with the digest */
  const storeOf = (key: string) => (documents.has(key.slice(-64)) ? trusted : others);
  documents.onRead(async (read) => {
    const misfits = await misfitsOf(schema, read);
    if (misfits.length > 0) log.warn({ misfits }, 'trusted documents do not fit the schema');
  });
  const server = new ApolloServer<GraphqlContext>({
    schema,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    documentStore: {
      get: async (key) => storeOf(key).get(key),
      set: async (key, tree) => void storeOf(key).set(key, tree),
      delete: async (key) => storeOf(key).delete(key),
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
      costs(createCostLimit(schema, mask)),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
    ],
    formatError: formatError(deps, mask, () => answering.getStore()?.ids),
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await server.start();

  const answer: AnswerGraphql = async (request) => {
    const sent = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    // `search` would have a query by GET.
    const asked = { method: 'POST', headers: new HeaderMap(sent), search: '', body: undefined as unknown };
    const { body, headers, status } = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: asked,
      context: async () => {
        const context = await createContext(deps, concurrency, request);
        asked.body = context.body; // Apollo reads it only now
        return context;
      },
    });
    if (body.kind !== 'complete') throw new Error('The schema has neither @defer nor @stream');
    return { status: status ?? 200, headers, body: body.string };
  };
  return {
    answer: (request) => answering.run(request, answer, request),
    stop: () => server.stop(),
  };
}

/** Parsed and validated documents */
function cacheOf(maxSize: number): LRUCache<string, DocumentNode> {
  return new LRUCache({ maxSize, sizeCalculation: (tree) => JSON.stringify(tree).length });
}

/** Refuses an operation for its cost before it is executed, and answers the cost to `GraphQL-Cost: 1`. (Interface 24) */
function costs(limit: CostLimit): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async ({ request: { http } }) => {
      let cost = Number.POSITIVE_INFINITY;
      const isAsked = http?.headers.get('graphql-cost') === '1';
      return {
        didResolveOperation: async ({ request, document: query, operation, source: text }) => {
          if (operation === undefined) return; // execution reports the unknown name
          const asked = { query, operation, variables: request.variables ?? {}, text };
          cost = limit.costOf(asked);
          limit.check(asked, cost);
        },
        ...(isAsked && {
          willSendResponse: async ({ response: { body } }) => {
            if (body.kind === 'single' && Number.isFinite(cost)) body.singleResult.extensions = { cost };
          },
        }),
      };
    },
  };
}
