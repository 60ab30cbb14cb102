/** One log line and one count an answer, under a request id that the caller gets back. */
import type { Request, RequestHandler } from 'express';
import type { Deps } from '../parts.js';
import { createBudget } from '../platform/budget.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import type { RequestIds } from '../platform/logger.js';
import { clientReader } from './client.js';
import type { Exchange } from './exchange.js';
import { CLIENT_CLOSED, type CountedRequest, createOutcomeCounters, outcomeByStatus } from './outcomes.js';
import { traceOf } from './trace.js';

/** A caller's own X-Request-Id is kept where it is plain enough for a log. */
const PLAIN_ID = /^[\w.:-]{1,128}$/;

/** Answers nobody wants a line for, unless they fail. */
const QUIET = new Set(['/health/live', '/health/ready', '/metrics']);

/** In an outage every answer is this one. Of a route and an outcome, so many have a line of their own in ten seconds. */
const UNAVAILABLE = 503;
const MOST_UNAVAILABLE = 10;

/** Told once a process, since strangers can send the field too */
const UNBELIEVED =
  'X-Forwarded-For of a peer that is not trusted is passed over: all who come by it have its address and share its ' +
  'limits. Where it is a proxy of yours, set TRUST_PROXY';

interface Answered extends RequestIds, CountedRequest {
  method: string;
  status: number;
  client_ip: string | undefined;
  /** Of a call that was refused for it */
  origin?: string | undefined;
  duration_ms: number;
}

export interface RequestLog {
  middleware: RequestHandler;
  /** Records what Node's parser refused. @returns the request id that it is logged under */
  unparsed(status: number, clientIp: string | undefined): string;
}

/** @param isRoute true for a path that is answered by a route of ours */
export function createRequestLog(
  deps: Deps<'clock' | 'config' | 'log' | 'metrics' | 'sampling' | 'state'>,
  isRoute: (path: string) => boolean,
): RequestLog {
  const { clock, config, log, metrics, sampling, state } = deps;
  const readClient = clientReader(config.trustProxy, (peerAddress) => {
    if (state.isProxyTold) return;
    state.isProxyTold = true;
    log.warn({ peer_ip: peerAddress }, UNBELIEVED);
  });
  const count = createOutcomeCounters(metrics);
  const record = (answered: Answered): void => {
    const { method, route, status, duration_ms } = answered;
    const labels = { http_request_method: method, http_response_status_code: status };
    metrics.requestSeconds.observe(route === undefined ? labels : { ...labels, http_route: route }, duration_ms / 1000);
    count(answered);
    const level = status >= 500 ? 'error' : route !== undefined && QUIET.has(route) ? 'debug' : 'info';
    if (status !== UNAVAILABLE) return log[level](answered, 'request');
    sampling.sample(`${method} ${route} ${answered.outcome}`, MOST_UNAVAILABLE, (more) => {
      log[level]({ ...answered, ...more }, 'request');
    });
  };
  return {
    middleware: (req, res, next) => {
      const given = req.get('x-request-id');
      const requestId = given !== undefined && PLAIN_ID.test(given) ? given : uuidInTimeOrder(clock.now());
      const ids: RequestIds = { request_id: requestId, ...traceOf(req.rawHeaders) };
      const client = readClient(req);
      Object.assign(res.locals, { ids, client, budget: createBudget() } satisfies Exchange);
      res.set('X-Request-Id', requestId);
      const started = performance.now();

      res.on('close', () => {
        const method = knownMethod(req.method);
        const route = routeOf(req, isRoute);
        const status = res.writableFinished ? res.statusCode : CLIENT_CLOSED;
        record({
          ...ids,
          method,
          route,
          status,
          caller: res.locals.caller,
          outcome: res.locals.outcome ?? outcomeByStatus(method, route, status),
          client_ip: client.ipAddress,
          origin: res.locals.refusedOrigin,
          duration_ms: Math.round((performance.now() - started) * 10) / 10,
        });
      });
      next();
    },
    unparsed: (status, clientIp) => {
      const requestId = uuidInTimeOrder(clock.now());
      const unknown = { method: OTHER_METHOD, route: undefined, caller: undefined, duration_ms: 0 };
      record({ request_id: requestId, ...unknown, status, outcome: 'unparsed', client_ip: clientIp });
      return requestId;
    },
  };
}

/** Paths and methods are the caller's text; a label must not grow with them. */
function routeOf(req: Request, isRoute: (path: string) => boolean): string | undefined {
  try {
    return isRoute(req.path) ? req.path : undefined;
  } catch {
    return undefined; // a target that cannot be read has no path
  }
}

/** As OpenTelemetry has them. */
const OTHER_METHOD = '_OTHER';
const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

function knownMethod(method: string): string {
  return METHODS.has(method) ? method : OTHER_METHOD;
}
