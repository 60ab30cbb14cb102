/** One log line and one count an answer, under a request id that the caller gets back. */
import type { Request, RequestHandler } from 'express';
import type { Deps } from '../parts.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import { clientReader } from './client.js';
import type { Exchange, RequestOutcome } from './exchange.js';

/** A caller's own X-Request-Id is kept where it is plain enough for a log. */
const PLAIN_ID = /^[\w.:-]{1,128}$/;

/** Answers nobody wants a line for, unless they fail. */
const QUIET = new Set(['/health/live', '/health/ready', '/metrics']);

/** Nginx's word for a client that went away before its answer. */
const CLIENT_CLOSED = 499;

interface Answered {
  requestId: string;
  method: string;
  route: string;
  status: number;
  outcome: RequestOutcome | undefined;
  ipAddress: string | undefined;
  ms: number;
}

export interface RequestLog {
  middleware: RequestHandler;
  /** Records what Node's parser refused. @returns the request id that it is logged under */
  unparsed(status: number, ipAddress: string | undefined): string;
}

/** @param isRoute true for a path that is answered by a route of ours */
export function createRequestLog(
  deps: Deps<'clock' | 'config' | 'log' | 'metrics'>,
  isRoute: (path: string) => boolean,
): RequestLog {
  const { clock, config, log, metrics } = deps;
  const readClient = clientReader(config.trustProxy);
  const record = (answered: Answered): void => {
    const { method, route, status, outcome, ms } = answered;
    metrics.requests.inc({ route, method, status });
    metrics.requestSeconds.observe({ route }, ms / 1000);
    if (outcome !== undefined) metrics.outcomes.inc({ outcome });
    const level = status >= 500 ? 'error' : QUIET.has(route) ? 'debug' : 'info';
    log[level](answered, 'request');
  };
  return {
    middleware: (req, res, next) => {
      const given = req.get('x-request-id');
      const requestId = given !== undefined && PLAIN_ID.test(given) ? given : uuidInTimeOrder(clock.now());
      const client = readClient(req);
      Object.assign(res.locals, { requestId, client } satisfies Exchange);
      res.set('X-Request-Id', requestId);
      const started = performance.now();

      res.on('close', () => {
        record({
          requestId,
          method: knownMethod(req.method),
          route: routeOf(req, isRoute),
          status: res.writableFinished ? res.statusCode : CLIENT_CLOSED,
          outcome: res.locals.outcome,
          ipAddress: client.ipAddress,
          ms: Math.round((performance.now() - started) * 10) / 10,
        });
      });
      next();
    },
    unparsed: (status, ipAddress) => {
      const requestId = uuidInTimeOrder(clock.now());
      record({ requestId, method: 'other', route: 'other', status, outcome: 'unparsed', ipAddress, ms: 0 });
      return requestId;
    },
  };
}

/** Paths and methods are the caller's text; a label must not grow with them. */
function routeOf(req: Request, isRoute: (path: string) => boolean): string {
  try {
    return isRoute(req.path) ? req.path : 'other';
  } catch {
    return 'other'; // a target that cannot be read has no path
  }
}

function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'].includes(method) ? method : 'other';
}
