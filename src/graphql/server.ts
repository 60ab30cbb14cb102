/** Apollo Server, which answers `POST /graphql`. No other file imports it. (Interface 7 and 24) */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { type DocumentNode, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { AuditEventFilter } from '../audit/log.js';
import type { AnswerGraphql, GraphqlAnswer, GraphqlRequest } from '../callers/graphql-over-http.js';
import type { RequestIds } from '../platform/logger.js';
import { createConcurrency } from './concurrency.js';
import { createContext, type GraphqlContext, type GraphqlDependencies } from './context.js';
import { misfitsOf } from './document-fit.js';
import { errorOf, formatError, status } from './errors.js';
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
import { createStreams, type StreamTimes, type Subscription, streamOfOne } from './streams.js';

export interface GraphqlServer {
  answer: AnswerGraphql;
  stop(): Promise<void>;
}

export async function createGraphqlServer(deps: GraphqlDependencies, times?: StreamTimes): Promise<GraphqlServer> {
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
  const subscriptions = new WeakMap<GraphqlRequest, Subscription>();
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
      whenSubscribing((found) => {
        const request = answering.getStore();
        if (request !== undefined) subscriptions.set(request, found);
      }),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
    ],
    formatError: formatError(deps, mask, () => answering.getStore()?.ids),
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await server.start();

  const formatFor = (ids: RequestIds) => {
    const format = formatError(deps, mask, () => ids);
    return (error: GraphQLError): GraphQLFormattedError => {
      const { http: _, code = ApolloServerErrorCode.INTERNAL_SERVER_ERROR, ...more } = error.extensions;
      return format({ ...error.toJSON(), extensions: { code, ...more } }, error);
    };
  };
  const streams = createStreams(deps, schema, formatFor, times);

  /** Opens the stream of a subscription that Apollo Server has found valid. */
  const stream = async (request: GraphqlRequest, context: GraphqlContext, found: Subscription) => {
    const { ids } = request;
    const refused = (errors: readonly GraphQLError[]): GraphqlAnswer => {
      const formatted = errors.map(formatFor(ids));
      const headers = new Map([['content-type', 'application/json; charset=utf-8'], ...headersOf(errors)]);
      return { status: statusOf(errors, formatted), headers, body: JSON.stringify({ errors: formatted }) };
    };
    if (request.accepts === 'answer') return refused([errorOf('not_acceptable', NO_STREAM, status(406))]);
    const last = request.headers['last-event-id'];
    const follow = (filter: AuditEventFilter) => deps.liveLog.follow(filter, last === undefined ? last : String(last));
    try {
      const opened = await streams.open(request, { ...context, deps, concurrency, follow }, found);
      return 'status' in opened ? opened : refused(opened);
    } catch (error) {
      if (error instanceof GraphQLError) return refused([error]);
      throw error;
    }
  };

  const answer: AnswerGraphql = async (request) => {
    const { accepts } = request;
    const sent = new HeaderMap(Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const));
    if (accepts === 'stream') sent.set('accept', 'application/json');
    // `search` would have a query by GET.
    const asked = { method: 'POST', headers: sent, search: '', body: undefined as unknown };
    let context: GraphqlContext | undefined;
    const answered = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: asked,
      context: async () => {
        context = await createContext(deps, concurrency, request);
        asked.body = context.body; // Apollo reads it only now
        return context;
      },
    });
    if (answered.body.kind !== 'complete') throw new Error('The schema has neither @defer nor @stream');
    const found = subscriptions.get(request);
    if (context !== undefined && found !== undefined) return stream(request, context, found);
    const { status: code = 200, headers } = answered;
    const { string: text } = answered.body;
    return accepts === 'stream' && code === 200 ? streamOfOne(text) : { status: code, headers, body: text };
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
const NO_STREAM = 'A subscription is answered as a stream: send Accept: text/event-stream';

/** Apollo Server would execute a subscription once, as if it were a query. */
function whenSubscribing(note: (found: Subscription) => void): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => ({
      responseForOperation: async ({ document, operation, request: { operationName = null, variables = {} } }) => {
        if (operation?.operation !== 'subscription') return null; // or none, of which execution reports the name
        note({ document, operationName, variableValues: variables });
        const singleResult = { data: null };
        return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult } };
      },
    }),
  };
}

/** Statuses of a stream that is refused, if its error has none: a query would have data for other fields. */
const STATUSES: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  OPERATION_TOO_COSTLY: 400,
  FORBIDDEN: 403,
};

function statusOf([error]: readonly GraphQLError[], [formatted]: readonly GraphQLFormattedError[]): number {
  const { http } = (error?.extensions ?? {}) as { http?: { status: number } };
  return http?.status ?? STATUSES[String(formatted?.extensions?.['code'])] ?? 500;
}

function headersOf([error]: readonly GraphQLError[]): Iterable<[string, string]> {
  return ((error?.extensions ?? {}) as { http?: { headers: Map<string, string> } }).http?.headers ?? [];
}
