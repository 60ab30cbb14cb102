/** Interface 5: a call by a browser from another site is refused, unless its origin is in CORS_ORIGINS. */
import type { RequestHandler } from 'express';
import type { Config } from '../config/config.js';
import { sendError } from './errors.js';

const REFUSED = 'Calls from this origin are not allowed';
/** The second only in development */
export const CROSS_SITE_DETAILS = [
  REFUSED,
  `${REFUSED}: it is neither that of PUBLIC_URL nor in CORS_ORIGINS`,
] as const;

/** Characters of an origin that are logged */
const ORIGIN_LENGTH = 256;

export function crossSiteRefusal({ isDevelopment, publicUrl, corsOrigins }: Config): RequestHandler {
  const detail = CROSS_SITE_DETAILS[isDevelopment ? 1 : 0];
  return (req, res, next) => {
    const origin = req.get('origin');
    if (origin !== undefined && corsOrigins.includes(origin)) return next();
    const isForeign = origin !== undefined && origin !== publicUrl;
    if (!isForeign && req.get('sec-fetch-site') !== 'cross-site') return next();
    res.locals.outcome = 'cross_site';
    if (origin !== undefined) res.locals.refusedOrigin = loggable(origin);
    return sendError(res, 403, detail);
  };
}

/** The parsed scheme, host and port, or `unreadable`. */
function loggable(origin: string): string {
  if (origin === 'null') return origin; // a sandboxed frame or a file
  if (!URL.canParse(origin)) return 'unreadable';
  const { protocol, host } = new URL(origin);
  return `${protocol}//${host}`.slice(0, ORIGIN_LENGTH);
}
