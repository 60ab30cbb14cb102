/** Refuses a call by a browser from another site, unless its origin is in CORS_ORIGINS. (Interface 5) */
import type { RequestHandler } from 'express';
import type { Config } from '../config/config.js';
import { sendError } from './errors.js';
import { ERRORS } from './refusals.js';

export const CROSS_SITE_IN_DEVELOPMENT = `${ERRORS.cross_site.detail}: it is neither that of PUBLIC_URL nor in CORS_ORIGINS`;

/** Interface 5: what pages of CORS_ORIGINS may send and read. docs/interface.md prints it. */
export const CORS_FIELDS = {
  sent: [
    'Authorization',
    'Content-Type',
    'GraphQL-Cost',
    'Last-Event-ID',
    'Refresh-Retry',
    'traceparent',
    'tracestate',
    'X-Request-Id',
  ],
  read: [
    'Export-Until',
    'RateLimit',
    'RateLimit-Policy',
    'Refresh-Retry',
    'Retry-After',
    'WWW-Authenticate',
    'X-Request-Id',
  ],
};

/** Characters of an origin that are logged */
const ORIGIN_LENGTH = 256;

export function crossSiteRefusal({ isDevelopment, publicUrl, corsOrigins }: Config): RequestHandler {
  const more = isDevelopment ? { detail: CROSS_SITE_IN_DEVELOPMENT } : {};
  return (req, res, next) => {
    const origin = req.get('origin');
    if (origin !== undefined && corsOrigins.includes(origin)) return next();
    const isForeign = origin !== undefined && origin !== publicUrl;
    if (!isForeign && req.get('sec-fetch-site') !== 'cross-site') return next();
    if (origin !== undefined) res.locals.refusedOrigin = loggableOrigin(origin);
    return sendError(res, 'cross_site', more);
  };
}

/** A scheme, host and port as they are, such as `https://APP.example.com:443`. */
const PLAIN_ORIGIN = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

/** The scheme, host and port, or `unreadable`. What is more than these is parsed and cut off. */
export function loggableOrigin(origin: string): string {
  if (origin === 'null') return origin; // a sandboxed frame or a file
  if (!URL.canParse(origin)) return 'unreadable';
  const { protocol, host } = new URL(origin);
  return (PLAIN_ORIGIN.test(origin) ? origin : `${protocol}//${host}`).slice(0, ORIGIN_LENGTH);
}
