/** Answers errors by their row in `refusals.ts`. (Interface 5) */
import type { ErrorRequestHandler, Express, RequestHandler, Response } from 'express';
import type { RefusedUser } from '../callers/resolve-user.js';
import { isOutage } from '../db/outage.js';
import { RETRY_AFTER_SECONDS } from '../platform/outage.js';
import { type ErrorLines, reportBug, reportOutage } from '../readiness/error-lines.js';
import { errorBody, type More } from './error-body.js';
import { ERRORS, type RestReason } from './refusals.js';
import { sendJson } from './send-json.js';

/** Refusals of the body parser, by status. */
const OF_PARSER: Readonly<Record<number, RestReason>> = {
  400: 'body_not_json',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/**
 * The reason is the outcome in the log too, unless another was decided.
 * @param status another than that of the row
 */
export function sendError(
  res: Response,
  reason: RestReason,
  more?: More,
  status: number = ERRORS[reason].status,
): void {
  res.locals.outcome ??= reason;
  sendJson(res.status(status), errorBody(res.req, reason, more));
}

/** 401 with the challenge of RFC 6750, on a route for users alone. */
export function refuseUser(res: Response, { reason, challenge }: RefusedUser): void {
  res.set('WWW-Authenticate', challenge);
  sendError(res, reason);
}

export const notFound: RequestHandler = (_req, res) => sendError(res, 'not_found');

/** Answers 405 with the allowed methods (RFC 9110 section 15.5.6). */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (_req, res) => {
    res.set('Allow', allowed.join(', '));
    sendError(res, 'method_not_allowed');
  };
}

/** A path that is only read: any other method is 405. */
export function addReadOnly(app: Express, path: string, send: RequestHandler): void {
  app.route(path).get(send).all(methodNotAllowed('GET', 'HEAD'));
}

function sendUnavailable(res: Response): void {
  res.set('Retry-After', String(RETRY_AFTER_SECONDS));
  sendError(res, 'unavailable');
}

/**
 * The last handler: an outage is 503, a refusal of the parser keeps its status, anything else is a bug. An answer that has begun
 * breaks off, so that nobody takes it for whole.
 */
export function errorHandler(lines: ErrorLines): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.writableEnded) return next(error); // the rest of the request could not be read, and that was answered
    // An outage or a bug never touches the cookie (Interface 5).
    if (res.headersSent) {
      res.locals.outcome ??= isOutage(error) ? 'unavailable' : 'internal_error';
      res.destroy();
    } else res.removeHeader('Set-Cookie');
    const { ids } = res.locals;
    if (isOutage(error)) {
      reportOutage(lines, ids, error);
      return res.destroyed ? undefined : sendUnavailable(res);
    }
    const status = statusOf(error);
    if (status !== undefined) return sendError(res, OF_PARSER[status] ?? 'malformed_request');
    reportBug(lines, ids, error, 'unexpected error');
    if (res.destroyed) return;
    return sendError(res, 'internal_error');
  };
}

/** The 4xx of an error of http-errors (body parser). */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}
