/** Invalid requests that Node's parser accepts (RFC 9112 sections 3.2 and 3.3). */
import type { RequestListener } from 'node:http';
import type { Express, Request, RequestHandler, Response } from 'express';
import { fieldValues } from '../credentials/signatures/http-fields.js';
import { sendError } from './errors.js';

/** Replaces an invalid target, such as `http://[/x`; no request can send it. */
const UNREADABLE = '/\0';

/** Express calls no handler for a target that it cannot parse, so it gets one that it can. */
export function readable(app: Express): RequestListener {
  return (req, res) =>
    app(req as Request, res as Response, () => {
      if (res.writableEnded) return; // the listener has answered, since the body broke off
      if (res.headersSent) return void req.socket.destroy(); // a fault after the answer had started
      req.url = UNREADABLE;
      app(req, res);
    });
}

export const ONE_HOST = 'Send exactly one Host';
export const NO_FRAGMENT = 'Request target must not have a #';

export const refuseMalformed: RequestHandler = (req, res, next) => {
  if (req.url === UNREADABLE) return sendError(res, 'malformed_request', { detail: 'Request target is not valid' });
  if (req.url.includes('#')) return sendError(res, 'malformed_request', { detail: NO_FRAGMENT });
  const hosts = fieldValues(req.rawHeaders, 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1')) {
    return sendError(res, 'malformed_request', { detail: ONE_HOST });
  }
  next();
};
