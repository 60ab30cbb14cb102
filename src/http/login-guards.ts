/** What a request with a password passes first (Interface 5). Login and the routes of Interface 15 share one limit. */
import type { RequestHandler } from 'express';
import type { Deps } from '../services.js';
import { crossSiteRefusal } from './cross-site.js';
import { readJson, requireJson } from './json-body.js';
import { loginPolicy, loginRateLimit } from './rate-limits.js';

export function loginGuards(deps: Deps<'clock' | 'config' | 'db' | 'passwords' | 'redis'>): RequestHandler[] {
  const { clock, config, passwords } = deps;
  /**
   * Limits, locks and tokens depend on time, so a wrong clock is an outage. A request that would wait too long for its
   * password asks no store either, so it is not counted.
   */
  const mayDecide: RequestHandler = (_req, _res, next) => {
    clock.requireSynced();
    passwords.requireRoom();
    next();
  };
  return [
    crossSiteRefusal(config),
    loginPolicy(config.login),
    mayDecide,
    loginRateLimit(config.login, deps),
    requireJson,
    readJson,
  ];
}
