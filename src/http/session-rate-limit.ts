/** CONTRACT 2, SESSION_RATE_LIMIT: requests to `/auth/refresh` and `/auth/logout` per client address and minute. */
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import type { Clock } from '../platform/clock.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import { addressGroup } from './client.js';
import { sendError } from './errors.js';

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
