/** Requests per client address: Spec 8 for login, CONTRACT 2 (SESSION_RATE_LIMIT) for refresh and logout. */
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import { createRateLimiter } from '../limits/rate-limiter.js';
import type { Deps } from '../parts.js';
import type { Clock } from '../platform/clock.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import { addressGroup } from './client.js';
import { sendError } from './errors.js';

/** Counts every request, valid or not; header fields of draft-ietf-httpapi-ratelimit-headers (CONTRACT 5). */
export function loginRateLimit(
  { rateLimit, rateWindowSeconds }: Config['login'],
  stores: Deps<'db' | 'redis'>,
): RequestHandler {
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

/** Counted in memory, before any store is asked; both routes share the count. Without a limit nothing is counted. */
export function sessionRateLimit(limit: Config['sessionRateLimit'], clock: Clock): RequestHandler {
  if (limit === undefined) return (_req, _res, next) => next();
  const counter = createMinuteCounter(clock);
  return (_req, res, next) => {
    if (counter.count(addressGroup(res.locals.client.ipAddress)) <= limit) return next();
    res.locals.outcome = 'session_rate_limited';
    res.set('Retry-After', String(counter.resetSeconds()));
    return sendError(res, 429, 'Too many requests, try again later');
  };
}
