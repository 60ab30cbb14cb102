/** One log line, one count and perhaps one span for each answer, with the request id that the caller gets. */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { createBudget } from '../platform/budget.js';
import { uuidInTimeOrder } from '../platform/ids.js';
import type { RequestIds } from '../platform/logger.js';
import { SPAN_ERROR, type Span } from '../platform/tracing.js';
import type { Deps } from '../services.js';
import { originReader } from './client-address.js';
import type { RequestLocals } from './locals.js';
import { CLIENT_CLOSED, type CountedRequest, createOutcomeCounters, type RequestOutcome } from './outcomes.js';
import { ERRORS, type RestReason } from './refusals.js';
import { callerSpan, traceIds } from './trace.js';

/** A caller's own X-Request-Id is used if it is plain enough for a log. */
const PLAIN_ID = /^[\w.:-]{1,128}$/;

/** Answers that are logged at `debug` unless they fail. */
const QUIET = new Set(['/health/live', '/health/ready', '/metrics']);

/** In an outage every answer is a 503. So many lines for each route and outcome in ten seconds. */
const UNAVAILABLE = 503;
const MOST_UNAVAILABLE = 10;

type Headed = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

const NO_HEADER: Headed = { headers: {}, rawHeaders: [] };

/** Logged once a process, since strangers can send the field too */
const UNTRUSTED =
  'X-Forwarded-For of an untrusted peer is ignored, so all its clients have its address and share its limits. ' +
  'If it is your proxy, set TRUST_PROXY';

/** What an operator sets to change the limit of a 429 */
const SETTINGS: Partial<Record<RequestOutcome, string>> = {
  login_rate_limited: 'LOGIN_RATE_LIMIT',
  account_locked: 'LOGIN_MAX_FAILURES',
};

interface Answered extends RequestIds, CountedRequest {
  method: string;
  status: number;
  client_ip: string | undefined;
  /** Of a login that a limit refused: the variable */
  setting?: string | undefined;
  /** Of a call that was refused for it */
  origin?: string | undefined;
  /** Of a question of a proxy: the origin of the service */
  service?: string | undefined;
  duration_ms: number;
}

export interface RequestLog {
  middleware: RequestHandler;
  /**
   * Records a request that Node's parser or the listener refused.
   * @param req undefined if its header could not be parsed
   * @returns the request id that it is logged under
   */
  unparsed(reason: RestReason, clientIp: string | undefined, req?: Headed): string;
}

/**
 * @param isRoute whether the gateway has a route for the path
 * @param onUnavailable called after an answer of 503, or what nginx gets in its place (Interface 10)
 */
export function createRequestLog(
  deps: Deps<'clock' | 'config' | 'log' | 'metrics' | 'sampling' | 'state' | 'tracing'>,
  isRoute: (path: string) => boolean,
  onUnavailable: () => void,
): RequestLog {
  const { clock, config, log, metrics, sampling, state, tracing } = deps;
  const idsOf = ({ headers }: Headed, span: Parameters<typeof traceIds>[0]): RequestIds => {
    const given = headers['x-request-id'];
    const isPlain = typeof given === 'string' && PLAIN_ID.test(given);
    return { request_id: isPlain ? given : uuidInTimeOrder(clock.now()), ...traceIds(span) };
  };
  const readOrigin = originReader(config.trustProxy, (peerAddress, ids) => {
    if (state.isProxyReported) return;
    state.isProxyReported = true;
    log.warn({ ...ids, peer_ip: peerAddress }, UNTRUSTED);
  });
  const count = createOutcomeCounters(metrics, config.forwardAuth !== undefined, config.mail.kind !== 'off');
  /** @param measuredMs for the histogram */
  const record = (answered: Answered, measuredMs = answered.duration_ms): void => {
    const { method, route, status } = answered;
    const labels = { http_request_method: method, http_response_status_code: status };
    metrics.requestSeconds.observe(route === undefined ? labels : { ...labels, http_route: route }, measuredMs / 1000);
    count(answered);
    const isUnavailable = status === UNAVAILABLE || answered.outcome === 'unavailable'; // nginx is answered 403
    const isQuiet = route !== undefined && QUIET.has(route);
    const level = status >= 500 || isUnavailable ? 'error' : isQuiet ? 'debug' : 'info';
    if (!isUnavailable) return log[level](answered, 'request');
    onUnavailable();
    sampling.sample(`${method} ${route} ${answered.outcome}`, MOST_UNAVAILABLE, (more) => {
      log[level]({ ...answered, ...more }, 'request');
    });
  };
  return {
    middleware: (req, res, next) => {
      const caller = callerSpan(req.rawHeaders);
      const span = QUIET.has(req.url) ? undefined : tracing.begin(knownMethod(req.method), caller);
      const ids = idsOf(req, span?.spanContext() ?? caller);
      const origin = readOrigin(req, ids);
      Object.assign(res.locals, { ids, origin, budget: createBudget(), span } satisfies RequestLocals);
      res.setHeader('X-Request-Id', ids.request_id);
      const started = performance.now();

      res.on('close', () => {
        const method = knownMethod(req.method);
        const route = res.locals.route ?? routeOf(req, isRoute);
        const status = res.writableFinished ? res.statusCode : CLIENT_CLOSED;
        const { outcome } = res.locals;
        const answered: Answered = {
          ...ids,
          method,
          route,
          status,
          caller: res.locals.caller,
          outcome: outcome ?? (status === CLIENT_CLOSED ? 'client_closed' : undefined),
          client_ip: origin.ipAddress,
          setting: outcome && SETTINGS[outcome],
          origin: res.locals.refusedOrigin,
          service: res.locals.service,
          duration_ms: Math.round((performance.now() - started) * 10) / 10,
        };
        const { beganMs } = res.locals;
        record(answered, beganMs && beganMs - started);
        if (span?.isRecording()) end(span, answered);
      });
      if (span === undefined) next();
      else tracing.within(span, next);
    },
    unparsed: (reason, clientIp, req = NO_HEADER) => {
      const ids = idsOf(req, callerSpan(req.rawHeaders));
      const unknown = { method: OTHER_METHOD, route: undefined, caller: undefined, duration_ms: 0 };
      record({ ...ids, ...unknown, status: ERRORS[reason].status, outcome: reason, client_ip: clientIp });
      return ids.request_id;
    },
  };
}

/** No address, path or text of the caller: the names of OpenTelemetry that are safe to show, and two of ours. */
function end(span: Span, { method, route, status, caller, outcome }: Answered): void {
  const verb = method === OTHER_METHOD ? 'HTTP' : method;
  span.updateName(route === undefined ? verb : `${verb} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    ...(route !== undefined && { 'http.route': route }),
    ...(caller !== undefined && { 'auth_gateway.caller': caller }),
    ...(outcome !== undefined && { 'auth_gateway.outcome': outcome }),
    ...(status >= 500 && { 'error.type': String(status) }),
  });
  if (status >= 500) span.setStatus({ code: SPAN_ERROR });
  span.end();
}

/** Paths and methods come from callers, so labels must not grow with them. */
function routeOf(req: Request, isRoute: (path: string) => boolean): string | undefined {
  try {
    return isRoute(req.path) ? req.path : undefined;
  } catch {
    return undefined; // an invalid target has no path
  }
}

/** The methods that OpenTelemetry lists. */
const OTHER_METHOD = '_OTHER';
const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

function knownMethod(method: string): string {
  return METHODS.has(method) ? method : OTHER_METHOD;
}
