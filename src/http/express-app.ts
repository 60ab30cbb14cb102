/** The Express applications: what every request passes, from top to bottom. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { AnswerGraphql } from '../callers/graphql-over-http.js';
import type { Config } from '../config/config.js';
import type { ReadinessPoller } from '../readiness/poller.js';
import type { Readiness } from '../readiness/readiness.js';
import type { Services } from '../services.js';
import { errorHandler, notFound } from './errors.js';
import { loginGuards } from './login-guards.js';
import { readable, refuseMalformed } from './malformed.js';
import { createRequestLog } from './request-log.js';
import { addAuthRoutes } from './routes/auth-routes.js';
import { addAuthzRoutes } from './routes/authz-routes.js';
import { addClientPackage } from './routes/client-package.js';
import { addConsole } from './routes/console.js';
import { addDocuments } from './routes/documents.js';
import { addFrontPage } from './routes/front-page.js';
import { addGraphqlRoute } from './routes/graphql-route.js';
import { addHealthRoutes } from './routes/health.js';
import { addMetricsRoute } from './routes/metrics-route.js';
import { addOpenApiRoute } from './routes/openapi-route.js';
import { addPasswordRoutes } from './routes/password-routes.js';
import { addSetPasswordPage } from './routes/set-password-page.js';
import { addWellKnownRoutes } from './routes/well-known.js';
import type { Listener } from './server/listener.js';

export function createExpressApp(
  services: Services,
  readiness: Readiness,
  poller: ReadinessPoller,
  answerGraphql: AnswerGraphql,
): Listener {
  const { config } = services;
  return createListener(services, (app) => {
    app.use(lookAgainAfter503(poller));
    addAuthzRoutes(app, services); // answers a preflight by its rule, so before CORS_ORIGINS does
    addWellKnownRoutes(app, services); // for every origin, so before those of the list
    addClientPackage(app); // for every origin too
    if (config.corsOrigins.length > 0) app.use(allowOrigins(config.corsOrigins));
    addHealthRoutes(app, services, readiness);
    if (config.metricsPort === undefined) addMetricsRoute(app, services);
    const guards = loginGuards(services);
    addAuthRoutes(app, services, guards);
    addPasswordRoutes(app, services, guards);
    addSetPasswordPage(app, services);
    addGraphqlRoute(app, services, answerGraphql);
    if (config.console) addConsole(app, services);
    if (config.isDevelopment) {
      addFrontPage(app, services);
      addDocuments(app);
      addOpenApiRoute(app, services);
    }
  });
}

/** What listens on METRICS_PORT: `/metrics` and nothing else. */
export function createMetricsApp(services: Services): Listener {
  return createListener(services, (app) => addMetricsRoute(app, services));
}

/** Interface 10: an answer of 503, or what nginx gets in its place, makes the poller look at once. */
function lookAgainAfter503({ checkSoon }: ReadinessPoller): RequestHandler {
  return (_req, res, next) => {
    res.once('close', () => {
      if (res.statusCode === 503 || res.locals.outcome === 'unavailable') checkSoon();
    });
    next();
  };
}

function createListener(services: Services, addRoutes: (app: Express) => void): Listener {
  const { config, log } = services;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // answers are small and mostly uncacheable
  app.enable('case sensitive routing');
  app.enable('strict routing');

  const requestLog = createRequestLog(services, (path) => app.router.stack.some(({ route }) => route?.path === path));
  app.use(requestLog.middleware);
  app.use(securityHeaders(config));
  app.use(refuseMalformed);
  addRoutes(app);
  app.use(notFound);
  app.use(errorHandler(services));
  return { handle: readable(app), log, requestLog };
}

/**
 * An API serves no page: nothing may be loaded from its answers, nor may they be framed. The fields are the same for every
 * request, so helmet is asked for them once.
 */
function securityHeaders({ publicUrl }: Config): RequestHandler {
  const directives = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] };
  const setFields = helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    // Of its own host alone: other services may speak http below it.
    strictTransportSecurity: publicUrl.startsWith('https:') && { includeSubDomains: false },
  });
  // Interface 5: answers are of one moment, and some hold a token; only what is well known says otherwise.
  const fields: Array<[name: string, value: string]> = [['Cache-Control', 'no-store']];
  const recorder = {
    setHeader: (name: string, value: string) => fields.push([name, value]),
    removeHeader: () => undefined,
  } as unknown as ServerResponse;
  setFields({} as IncomingMessage, recorder, () => undefined);
  return (_req, res, next) => {
    for (const [name, value] of fields) res.setHeader(name, value);
    next();
  };
}

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
