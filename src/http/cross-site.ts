/** CONTRACT 5: a browser that calls from another site is refused, unless its origin is in CORS_ORIGINS. */
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import { sendError } from './errors.js';

export function crossSiteRefusal({ publicUrl, corsOrigins }: Config): RequestHandler {
  return (req, res, next) => {
    const origin = req.get('origin');
    if (origin !== undefined && corsOrigins.includes(origin)) return next();
    const isForeign = origin !== undefined && origin !== publicUrl;
    if (!isForeign && req.get('sec-fetch-site') !== 'cross-site') return next();
    res.locals.outcome = 'cross_site';
    return sendError(res, 403, 'Calls from this origin are not allowed');
  };
}
