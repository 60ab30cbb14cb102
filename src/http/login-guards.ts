/** What a request with a password passes first (Interface 5). Login and the routes of Interface 15 share one limit. */
import type { RequestHandler } from 'express';
import type { Deps } from '../services.js';
import { crossSiteRefusal } from './cross-site.js';
import { readJson, requireJson } from './json-body.js';
import { loginPolicy } from './rate-limits.js';

/** @param countLogin `loginRateLimit`, one for all routes: it remembers who is over the limit */
export function loginGuards(
  deps: Deps<'clock' | 'config' | 'passwords'>,
  countLogin: RequestHandler,
): RequestHandler[] {
  const { passwords } = deps;
  /** A request that would wait too long for its password asks no store either, so it is not counted. */
  const requireRoom: RequestHandler = (_req, _res, next) => {
    passwords.requireRoom();
    next();
  };
  return countedGuards(deps, countLogin, requireRoom);
}

/**
 * What a request that tries to prove something passes first. Limits, locks and tokens depend on time, so a wrong clock is an
 * outage.
 * @param before what else is checked before it is counted
 */
export function countedGuards(
  { clock, config }: Deps<'clock' | 'config'>,
  countLogin: RequestHandler,
  ...before: RequestHandler[]
): RequestHandler[] {
  const requireSynced: RequestHandler = (_req, _res, next) => {
    clock.requireSynced();
    next();
  };
  return [
    crossSiteRefusal(config),
    loginPolicy(config.login),
    requireSynced,
    ...before,
    countLogin,
    requireJson,
    readJson,
  ];
}
