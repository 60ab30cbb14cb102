/**
 * Requests per client address: Spec 8 for login, Interface 2 (SESSION_RATE_LIMIT) for refresh and logout; and the
 * fields of draft-ietf-httpapi-ratelimit-headers (Interface 5 and 6).
 */
import type { RequestHandler, Response } from 'express';
import type { KeyLimit } from '../callers/caller.js';
import { KEY_WINDOW_SECONDS } from '../callers/key-admission.js';
import type { Config } from '../config/config.js';
import { createMinuteCounter } from '../platform/minute-counter.js';
import { addressGroup } from '../rate-limits/address-group.js';
import { createLoginLimiter } from '../rate-limits/login-limiter.js';
import type { Deps } from '../services.js';
import { sendError } from './errors.js';

/** The policy, sent in every answer of the route. */
export function loginPolicy({ rateLimit, rateWindowSeconds }: Config['login']): RequestHandler {
  return (_req, res, next) => {
    setPolicy(res, 'login', rateLimit, rateWindowSeconds);
    next();
  };
}

/** Counts every request, valid or not. */
export function loginRateLimit(
  login: Config['login'],
  deps: Deps<'clock' | 'db' | 'redis' | 'tracing'>,
): RequestHandler {
  const countLogin = createLoginLimiter(login, deps);
  return async (_req, res, next) => {
    const { budget, origin } = res.locals;
    const state = await countLogin(origin.ipAddress, budget);
    setState(res, 'login', state);
    if (state.allowed) return next();
    res.set('Retry-After', String(state.resetSeconds));
    return sendError(res, 'login_rate_limited');
  };
}

/** Counted in memory, before any store is asked; refresh and logout share the count. */
export function sessionRateLimit(limit: Config['sessionRateLimit'], { clock }: Deps<'clock'>): RequestHandler {
  if (limit === undefined) return (_req, _res, next) => next();
  const counter = createMinuteCounter(clock);
  return (_req, res, next) => {
    const { count, resetSeconds } = counter.count(addressGroup(res.locals.origin.ipAddress));
    if (count <= limit) return next();
    res.set('Retry-After', String(resetSeconds));
    return sendError(res, 'rate_limited');
  };
}

/** Interface 6: the remaining requests of an API key in its minute. */
export function setKeyLimit(res: Response, limit: KeyLimit): void {
  setPolicy(res, 'key', limit.quota, KEY_WINDOW_SECONDS);
  setState(res, 'key', limit);
}

function setPolicy(res: Response, name: string, quota: number, windowSeconds: number): void {
  res.set('RateLimit-Policy', `"${name}";q=${quota};w=${windowSeconds}`);
}

function setState(
  res: Response,
  name: string,
  { remaining, resetSeconds }: Pick<KeyLimit, 'remaining' | 'resetSeconds'>,
): void {
  res.set('RateLimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}
