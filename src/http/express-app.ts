/** The Express applications: what every request passes, from top to bottom. */
import type * as http from 'node:http';
import cors from 'cors';
import express, { type Express } from 'express';
import type { AnswerGraphql } from '../callers/graphql-over-http.js';
import type { Config } from '../config/config.js';
import type { ReadinessPoller } from '../readiness/poller.js';
import type { Readiness } from '../readiness/readiness.js';
import type { Services } from '../services.js';
import { CORS_FIELDS } from './cross-site.js';
import { errorHandler, notFound } from './errors.js';
import { loginGuards } from './login-guards.js';
import { readable, refuseMalformed } from './malformed.js';
import { loginRateLimit } from './rate-limits.js';
import { createRequestLog } from './request-log.js';
import { addAccountPage } from './routes/account-page.js';
import { addAccountRoutes } from './routes/account-routes.js';
import { addAuthRoutes } from './routes/auth-routes.js';
import { addAuthzRoutes } from './routes/authz-routes.js';
import { addClientPackage } from './routes/client-package.js';
import { addConsole } from './routes/console.js';
import { addDocuments } from './routes/documents.js';
import { addExportRoutes } from './routes/export-routes.js';
import { addFactorRoutes } from './routes/factor-routes.js';
import { addFrontPage } from './routes/front-page.js';
import { addGateRoutes } from './routes/gate-routes.js';
import { addGraphqlRoute } from './routes/graphql-route.js';
import { addHealthRoutes } from './routes/health.js';
import { addIntrospectionRoute } from './routes/introspection-route.js';
import { addMetricsRoute } from './routes/metrics-route.js';
import { addOpenApiRoute } from './routes/openapi-route.js';
import { addPasswordRoutes } from './routes/password-routes.js';
import { addSetPasswordPage } from './routes/set-password-page.js';
import { addWellKnownRoutes } from './routes/well-known.js';
import type { Listener } from './server/listener.js';
import { IncomingMessage, ServerResponse } from './server/node-http.js';
import { createTokenAnswer } from './token-answer.js';

export function createExpressApp(
  services: Services,
  readiness: Readiness,
  poller: ReadinessPoller,
  answerGraphql: AnswerGraphql,
): Listener {
  const { config } = services;
  return createListener(services, poller, (app) => {
    addAuthzRoutes(app, services); // answers a preflight by its rule, so before CORS_ORIGINS does
    addWellKnownRoutes(app, services); // for every origin, so before those of the list
    addClientPackage(app); // for every origin too
    if (config.corsOrigins.length > 0) app.use(allowOrigins(config.corsOrigins));
    addHealthRoutes(app, services, readiness);
    if (config.metricsPort === undefined) addMetricsRoute(app, services);
    const countLogin = loginRateLimit(config.login, services);
    const guards = loginGuards(services, countLogin);
    const tokenAnswer = createTokenAnswer(config);
    addAuthRoutes(app, services, guards, tokenAnswer);
    addFactorRoutes(app, services, countLogin, tokenAnswer);
    if (config.account) addAccountRoutes(app, services, countLogin, tokenAnswer);
    addGateRoutes(app, services, tokenAnswer);
    addPasswordRoutes(app, services, guards);
    addSetPasswordPage(app, services);
    addIntrospectionRoute(app, services);
    addExportRoutes(app, services);
    addGraphqlRoute(app, services, answerGraphql);
    if (config.console) addConsole(app, services);
    if (config.account) addAccountPage(app, services);
    addFrontPage(app, services);
    if (config.isDevelopment) {
      addDocuments(app);
      addOpenApiRoute(app, services);
    }
  });
}

/** What listens on METRICS_PORT: `/metrics` and nothing else. */
export function createMetricsApp(services: Services, poller: ReadinessPoller): Listener {
  return createListener(services, poller, (app) => addMetricsRoute(app, services));
}

function createListener(services: Services, poller: ReadinessPoller, addRoutes: (app: Express) => void): Listener {
  const { config, log } = services;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // answers are small and mostly uncacheable
  app.enable('case sensitive routing');
  app.enable('strict routing');

  const isRoute = (path: string): boolean => app.router.stack.some(({ route }) => route?.path === path);
  const requestLog = createRequestLog(services, isRoute, poller.checkSoon);
  app.use(requestLog.middleware);
  app.use(refuseMalformed);
  addRoutes(app);
  app.use(notFound);
  app.use(errorHandler(services));
  return {
    handle: readable(app),
    classes: classesOf(app, config),
    idleMs: config.keepAliveSeconds * 1000,
    log,
    requestLog,
  };
}

/**
 * Express gives each request and response another prototype, and each response its locals. That costs a tenth of a short
 * request, unless they have both from the start. Nor are constant fields set one by one, with a check of each: they follow
 * the first line of the answer.
 */
function classesOf(app: Express, config: Config): Listener['classes'] {
  const fields = securityFields(config);
  const lines = [...fields.values()].join('');
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Message extends http.IncomingMessage> extends ServerResponse<Message> {
    locals = {};
    override _storeHeader(firstLine: string, headers: unknown): void {
      const set = this.getHeaderNames().filter((name) => fields.has(name));
      const others =
        set.length === 0 ? lines : [...fields].map(([name, line]) => (set.includes(name) ? '' : line)).join('');
      super._storeHeader(firstLine + others, headers);
    }
  }
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/**
 * An API serves no page: nothing may be loaded from its answers, nor may they be framed.
 * @returns lines by name, of an answer whose route does not set the field itself
 */
function securityFields({ publicUrl }: Config): Map<string, string> {
  const fields = Object.entries({
    // Interface 5: answers are of one moment, and some hold a token; only what is well known says otherwise.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Origin-Agent-Cluster': '?1',
    'Referrer-Policy': 'no-referrer',
    // Of its own host alone: other services may speak http below it.
    ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
    'X-Content-Type-Options': 'nosniff',
    'X-DNS-Prefetch-Control': 'off',
    'X-Download-Options': 'noopen',
    'X-Frame-Options': 'SAMEORIGIN',
    'X-Permitted-Cross-Domain-Policies': 'none',
    'X-XSS-Protection': '0',
  });
  return new Map(fields.map(([name, value]) => [name.toLowerCase(), `${name}: ${value}\r\n`]));
}

function allowOrigins(origins: string[]) {
  return cors({
    origin: origins,
    credentials: true,
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: CORS_FIELDS.sent,
    exposedHeaders: CORS_FIELDS.read,
    maxAge: 600,
  });
}
