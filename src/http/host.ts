/** The Express applications: what every request passes, from top to bottom. */
import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config.js';
import type { AnswerGraphql } from '../graphql-over-http.js';
import type { Parts } from '../parts.js';
import { addAuthRoutes } from './auth-routes.js';
import { errorHandler, notFound } from './errors.js';
import { addFrontPage } from './front-page.js';
import { addGraphqlRoute } from './graphql-route.js';
import { addHealthRoutes } from './health.js';
import type { Listener } from './listener.js';
import { readable, refuseMalformed } from './malformed.js';
import { addMetricsRoute } from './metrics-route.js';
import { addOpenApiRoute } from './openapi-route.js';
import type { Readiness } from './readiness.js';
import { createRequestLog } from './request-log.js';
import type { Watch } from './watch.js';
import { addWellKnownRoutes } from './well-known.js';

export function createHost(parts: Parts, readiness: Readiness, watch: Watch, answerGraphql: AnswerGraphql): Listener {
  const { config } = parts;
  return createListener(parts, (app) => {
    app.use(watch.middleware);
    addWellKnownRoutes(app, parts); // for every origin, so before those of the list
    if (config.corsOrigins.length > 0) app.use(allowOrigins(config.corsOrigins));
    addHealthRoutes(app, parts, readiness);
    if (config.metricsPort === undefined) addMetricsRoute(app, parts);
    addAuthRoutes(app, parts);
    addGraphqlRoute(app, parts, answerGraphql);
    if (config.isDevelopment) {
      addFrontPage(app, parts);
      addOpenApiRoute(app, parts);
    }
  });
}

/** What listens on METRICS_PORT: `/metrics` and nothing else. */
export function createMetricsHost(parts: Parts): Listener {
  return createListener(parts, (app) => addMetricsRoute(app, parts));
}

function createListener(parts: Parts, addRoutes: (app: Express) => void): Listener {
  const { config, log } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // answers are small and mostly uncacheable
  app.enable('case sensitive routing');
  app.enable('strict routing');

  const requestLog = createRequestLog(parts, (path) => app.router.stack.some(({ route }) => route?.path === path));
  app.use(requestLog.middleware);
  app.use(securityHeaders(config));
  app.use(noStore);
  app.use(refuseMalformed);
  addRoutes(app);
  app.use(notFound);
  app.use(errorHandler(parts));
  return { handle: readable(app), log, requestLog };
}

/** An API serves no page: nothing may be loaded from its answers, nor may they be framed. */
function securityHeaders({ publicUrl }: Config) {
  const directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    // Of its own host alone: other services may speak http below it.
    strictTransportSecurity: publicUrl.startsWith('https:') && { includeSubDomains: false },
  });
}

/** Interface 5: answers are of one moment, and some hold a token; only what is well known says otherwise. */
const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

function allowOrigins(origins: string[]) {
  return cors({
    origin: origins,
    credentials: true,
    methods: ['POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Refresh-Retry', 'traceparent', 'tracestate', 'X-Request-Id'],
    exposedHeaders: [
      'RateLimit',
      'RateLimit-Policy',
      'Refresh-Retry',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ],
    maxAge: 600,
  });
}
