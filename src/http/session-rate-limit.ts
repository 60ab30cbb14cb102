/** CONTRACT 2, SESSION_RATE_LIMIT: requests to `/auth/refresh` and `/auth/logout` per client address and minute. */
import type { Request, RequestHandler } from 'express';
import type { Config } from '../config.js';
import type { Clock } from '../platform/clock.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import type { Client } from '../remote-client.js';
import { addressGroup } from './client.js';
import { sendError } from './errors.js';

interface Dependencies {
  clock: Clock;
  config: Pick<Config, 'sessionRateLimit'>;
  readClient(req: Request): Client;
}

/** Counted in memory, before any store is asked; both routes share the count. Unset: none. */
export function sessionRateLimit({ clock, config, readClient }: Dependencies): RequestHandler {
  const { sessionRateLimit: limit } = config;
  if (limit === undefined) return (_req, _res, next) => next();
  const counter = createMinuteCounter(clock);
  return (req, res, next) => {
    if (counter.count(addressGroup(readClient(req).ipAddress)) <= limit) return next();
    res.locals['outcome'] = 'session_rate_limited';
    res.set('Retry-After', String(counter.resetSeconds()));
    return sendError(res, 429, 'Too many requests, try again later');
  };
}
