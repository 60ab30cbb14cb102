/** Composition root: builds every part once, hands each what it needs, and takes them down again. */
import type { RequestListener } from 'node:http';
import cors from 'cors';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { createAuditRepeats } from './audit/repeats.js';
import { expiredEvents } from './audit/write.js';
import { expiredRecords } from './auth/sessions.js';
import { expiredNonces } from './callers/api-key.js';
import type { Config } from './config.js';
import { createTokens } from './credentials/jwt.js';
import { openKeyring } from './credentials/keyring.js';
import { createPasswords, type Passwords } from './credentials/passwords.js';
import { createPlaceholderKey } from './credentials/placeholder-key.js';
import { openDatabase } from './db/database.js';
import { migrateUp } from './db/migrate.js';
import { type Expiring, startSweeper } from './db/sweeper.js';
import { createGraphqlServer } from './graphql/server.js';
import type { AnswerGraphql } from './graphql-over-http.js';
import { type AuthRouteDependencies, authRoutes } from './http/auth-routes.js';
import { errorHandler, notFound } from './http/errors.js';
import { type GraphqlRouteDependencies, graphqlRoute } from './http/graphql-route.js';
import { type HealthDependencies, healthRoutes } from './http/health.js';
import { readable, refuseMalformed } from './http/malformed.js';
import { createRequestLog, type RequestLog } from './http/request-log.js';
import { createRateLimiter, expiredWindows } from './limits/rate-limiter.js';
import { connectRedis } from './limits/redis.js';
import { createCleanUp } from './platform/clean-up.js';
import { type Clock, systemClock } from './platform/clock.js';
import { createLogger, type Logger } from './platform/logger.js';
import { createMetrics } from './platform/metrics.js';

/** What tests replace: the clock they move, a quiet logger, the cost of hashing. */
export interface Overrides {
  clock?: Clock;
  log?: Logger;
  passwords?: Passwords;
  /** Size of libuv's thread pool (UV_THREADPOOL_SIZE) */
  threads?: number | undefined;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/** Spec 2.8 leaves the unit of `rate_limit` open; CONTRACT 6 says per minute. */
const KEY_WINDOW_SECONDS = 60;

/** Node's own default for UV_THREADPOOL_SIZE. */
const DEFAULT_THREADS = 4;

/**
 * Opens the keyring and the database, migrates it, and builds the Express application. It does not listen yet.
 * @throws {KeyringError} or the database's error; then nothing is left open
 */
export async function createApp(config: Config, databaseUrl: string, overrides: Overrides = {}) {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLogger(config.logLevel);
  const cleanUp = createCleanUp();

  return cleanUp.guard(async () => {
    const keyring = await openKeyring(config.keyringFile, clock, log);
    cleanUp.defer(keyring.close);
    const passwords =
      overrides.passwords ?? (await createPasswords(config.argon2, overrides.threads ?? DEFAULT_THREADS));
    const db = await openDatabase(databaseUrl);
    cleanUp.defer(db.close);
    const applied = await migrateUp(db);
    if (applied.length > 0) log.info({ applied }, 'database migrated');

    const redis = config.redisUrl === undefined ? undefined : connectRedis(config.redisUrl, log);
    cleanUp.defer(() => redis?.disconnect());
    const metrics = createMetrics();
    const deps = {
      clock,
      config,
      db,
      placeholder: createPlaceholderKey(keyring),
      keyLimiter: createRateLimiter({ db, redis }, 'api_key', KEY_WINDOW_SECONDS),
      keyring,
      log,
      metrics,
      passwords,
      redis,
      repeats: createAuditRepeats({ clock, log, metrics }),
      tokens: createTokens(keyring, config),
    };
    const sweeper = startSweeper(deps, expiringRows(config));
    cleanUp.defer(sweeper.stop);
    const graphql = await createGraphqlServer(deps, config);
    cleanUp.defer(graphql.stop);
    const requestLog = createRequestLog(deps);
    return { ...deps, requestLog, handle: buildHandler(deps, requestLog, graphql.answer), close: cleanUp.run };
  });
}

/** What the sweeper deletes, as the owners of the tables have it. */
export function expiringRows({ auditRetentionDays }: Pick<Config, 'auditRetentionDays'>): Expiring[] {
  return [expiredRecords, expiredNonces, expiredWindows, expiredEvents(auditRetentionDays)];
}

type HandlerDependencies = AuthRouteDependencies & GraphqlRouteDependencies & HealthDependencies & { log: Logger };

function buildHandler(deps: HandlerDependencies, requestLog: RequestLog, answer: AnswerGraphql): RequestListener {
  const { config, log } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // answers are small and mostly uncacheable
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(requestLog.middleware);
  app.use(securityHeaders(config));
  app.use(noStore);
  app.use(refuseMalformed);
  if (config.corsOrigins.length > 0) app.use(allowOrigins(config.corsOrigins));
  app.use(healthRoutes(deps));
  app.use(authRoutes(deps));
  app.use(graphqlRoute(deps, answer));
  app.use(notFound);
  app.use(errorHandler(log));
  return readable(app);
}

/** An API serves no page: nothing may be loaded from its answers, nor may they be framed. */
function securityHeaders({ publicUrl }: Config) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    strictTransportSecurity: publicUrl.startsWith('https:'),
  });
}

/** CONTRACT 5: answers are of one moment, and some hold a token; only the JWKS says otherwise. */
const noStore: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

function allowOrigins(origins: string[]) {
  return cors({
    origin: origins,
    credentials: true,
    methods: ['POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
}
