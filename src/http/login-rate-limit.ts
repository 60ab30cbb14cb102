/** Spec 8: requests to `POST /auth/login` per client address; CONTRACT 5: the headers. */
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import { createRateLimiter, type LimitStores } from '../limits/rate-limiter.js';
import { addressGroup } from './client.js';
import { sendError } from './errors.js';

/** Counts every request, valid or not; header fields of draft-ietf-httpapi-ratelimit-headers. */
export function loginRateLimit({ rateLimit, rateWindowSeconds }: Config['login'], stores: LimitStores): RequestHandler {
  const limiter = createRateLimiter(stores, 'login', rateWindowSeconds);
  return async (_req, res, next) => {
    res.set('RateLimit-Policy', `"login";q=${rateLimit};w=${rateWindowSeconds}`);
    const key = addressGroup(res.locals.client.ipAddress);
    const { allowed, remaining, resetSeconds } = await limiter.consume(key, rateLimit);
    res.set('RateLimit', `"login";r=${remaining};t=${resetSeconds}`);
    if (allowed) return next();
    res.locals.outcome = 'login_rate_limited';
    res.set('Retry-After', String(resetSeconds));
    return sendError(res, 429, 'Too many login attempts, try again later');
  };
}
