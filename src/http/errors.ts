/** Interface 5 and 7: every error body is JSON with a text `detail`; what a caller submitted is never repeated. */
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { isOutage } from '../db/outage.js';
import { type ErrorLines, reportBug, reportOutage } from '../platform/error-lines.js';
import { OUTAGE_DETAIL, RETRY_AFTER_SECONDS } from '../platform/outage.js';
import { graphqlErrors } from './graphql-errors.js';

/** Refusals of the body parser and the router, by status. */
export const DETAILS = {
  400: 'Request body is not valid JSON',
  404: 'Not found',
  405: 'Method not allowed',
  413: 'Request body is too large',
  415: 'Content-Type must be application/json, unencoded, in UTF-8',
  500: 'Internal server error',
} as const;

export function sendError(res: Response, status: number, detail: string, more: object = {}): void {
  res.status(status).json({ detail, ...more, ...graphqlErrors(res.req, status, detail) });
}

export const notFound: RequestHandler = (_req, res) => sendError(res, 404, DETAILS[404]);

/** Answers 405 with the allowed methods (RFC 9110 section 15.5.6). */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (_req, res) => {
    res.set('Allow', allowed.join(', '));
    sendError(res, 405, DETAILS[405]);
  };
}

function sendUnavailable(res: Response): void {
  res.set('Retry-After', String(RETRY_AFTER_SECONDS));
  sendError(res, 503, OUTAGE_DETAIL);
}

/** The last handler: an outage is 503, a refusal of the parser keeps its status, anything else is a bug. */
export function errorHandler(lines: ErrorLines): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error);
    // An outage or a bug never touches the cookie (Interface 5).
    res.removeHeader('Set-Cookie');
    const { caller, ids } = res.locals;
    if (isOutage(error)) {
      reportOutage(lines, ids, error);
      return sendUnavailable(res);
    }
    const status = statusOf(error);
    if (status !== undefined) return sendError(res, status, DETAILS[status as keyof typeof DETAILS] ?? 'Bad request');
    reportBug(lines, ids, error, caller === undefined ? 'unexpected error' : 'unexpected error in GraphQL');
    return sendError(res, 500, DETAILS[500]);
  };
}

/** The 4xx of an error of http-errors (body parser, router). */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}
