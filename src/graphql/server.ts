/** CONTRACT 7: Apollo Server at `POST /graphql` of the same Express host. */
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { GraphQLError } from 'graphql';
import type { CallerRequest } from '../callers/caller.js';
import type { Config } from '../config.js';
import type { Metrics } from '../platform/metrics.js';
import type { Client } from '../remote-client.js';
import { createContext, type GraphqlContext, type GraphqlDependencies } from './context.js';
import { formatError, outagesAs503 } from './errors.js';
import { explorer } from './explorer.js';
import { BODY_BYTES, costLimit, KEPT_DOCUMENTS, MAX_ERRORS, MAX_TOKENS, validationRules } from './limits.js';
import { createMask } from './masking.js';
import { createSchema } from './schema.js';
import { createTurns } from './turns.js';

export type GraphqlServerDependencies = GraphqlDependencies & {
  config: Config;
  metrics: Metrics;
  readClient(req: Request): Client;
};

export interface GraphqlServer {
  router: Router;
  stop(): Promise<void>;
}

export async function createGraphqlServer(deps: GraphqlServerDependencies): Promise<GraphqlServer> {
  const { config, log, readClient } = deps;
  const schema = await createSchema();
  const mask = createMask(schema);
  const turns = createTurns();
  const server = new ApolloServer<GraphqlContext>({
    schema,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    documentStore: new InMemoryLRUCache({ maxSize: KEPT_DOCUMENTS }),
    introspection: config.graphql.introspection,
    hideSchemaDetailsFromClientErrors: !config.graphql.introspection,
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
    formatError: formatError(log, mask),
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await server.start();

  const router = express.Router({ caseSensitive: true, strict: true });
  const path = router.route('/graphql');
  path.post(
    express.raw({ type: () => true, limit: BODY_BYTES, inflate: false }),
    parseJson,
    expressMiddleware(server, {
      context: ({ req, res }) =>
        outagesAs503(log, res.locals['requestId'], async () => {
          const { requestId } = res.locals;
          const isGone = () => req.socket.destroyed;
          const context = await createContext(deps, turns, requestOf(req), readClient(req), requestId, isGone).catch(
            (error: unknown) => {
              res.locals['outcome'] = outcomeOf(error);
              throw error;
            },
          );
          res.locals['outcome'] = `caller_${context.caller.callerType}`;
          if (res.locals['notJson']) throw notJson();
          return context;
        }),
    }),
  );
  if (config.graphql.landingPage) path.get(explorer());
  path.all((_req, res) => {
    res.set('Allow', 'POST');
    res.status(405).json({ detail: 'Method not allowed' });
  });
  return { router, stop: () => server.stop() };
}

/** For the request log: why there is no caller. */
function outcomeOf(error: unknown): string {
  const { reason, code } = error instanceof GraphQLError ? error.extensions : {};
  return `caller_refused_${String(reason ?? code ?? 'error').toLowerCase()}`;
}

/** The request as it came; the body has been kept as bytes by `parseJson`. */
function requestOf(req: Request): CallerRequest {
  const bytes: unknown = req.res?.locals['body'];
  return {
    method: req.method,
    target: req.originalUrl,
    rawHeaders: req.rawHeaders,
    body: bytes instanceof Uint8Array ? bytes : new Uint8Array(),
  };
}

/** Keeps the raw bytes for the signature; that they are no JSON is said only to a caller who is known. */
const parseJson: RequestHandler = (req, res, next) => {
  const bytes: unknown = req.body;
  res.locals['body'] = bytes;
  req.body = {};
  if (Buffer.isBuffer(bytes) && req.is('application/json')) {
    try {
      req.body = JSON.parse(bytes.toString('utf8'));
    } catch {
      res.locals['notJson'] = true;
    }
  }
  next();
};

function notJson(): GraphQLError {
  return new GraphQLError('Request body is not valid JSON', {
    extensions: { code: 'BAD_REQUEST', http: { status: 400 } },
  });
}
