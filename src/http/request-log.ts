/** One log line and one count an answer, under a request id that the caller gets back. */
import type { RequestHandler } from 'express';
import type { Client } from '../auth/audit.js';
import type { Clock } from '../platform/clock.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import type { Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';

/** A caller's own X-Request-Id is kept where it is plain enough for a log. */
const PLAIN_ID = /^[\w.:-]{1,128}$/;

const ROUTES = new Set([
  '/auth/login',
  '/auth/refresh',
  '/auth/logout',
  '/graphql',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/.well-known/jwks.json',
]);

/** Answers nobody wants a line for, unless they fail. */
const QUIET = new Set(['/health/live', '/health/ready', '/metrics']);

export function requestLog(
  { clock, log, metrics }: { clock: Clock; log: Logger; metrics: Metrics },
  readClient: (req: Parameters<RequestHandler>[0]) => Client,
): RequestHandler {
  return (req, res, next) => {
    const given = req.get('x-request-id');
    const requestId = given !== undefined && PLAIN_ID.test(given) ? given : uuidInTimeOrder(clock.now());
    res.locals['requestId'] = requestId;
    res.set('X-Request-Id', requestId);
    const started = performance.now();
    const { ipAddress } = readClient(req); // now: the socket's address is gone once it closes

    res.on('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const route = ROUTES.has(req.path) ? req.path : 'other';
      const status = res.writableFinished ? res.statusCode : 499;
      const outcome: unknown = res.locals['outcome'];
      metrics.requests.inc({ route, method: knownMethod(req.method), status });
      metrics.requestSeconds.observe({ route }, seconds);
      if (typeof outcome === 'string') metrics.outcomes.inc({ outcome });
      const level = status >= 500 ? 'error' : QUIET.has(route) ? 'debug' : 'info';
      log[level](
        {
          requestId,
          method: knownMethod(req.method),
          route,
          status,
          outcome,
          ipAddress,
          ms: Math.round(seconds * 1e4) / 10,
        },
        'request',
      );
    });
    next();
  };
}

/** Methods are the caller's text; a label must not grow with it. */
function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'].includes(method) ? method : 'other';
}
