/** Answers a login or a refresh: tokens and cookies, or the row of the refusal. (Spec 2.2, 2.3 and 7) */
import type { Response } from 'express';
import { CEREMONY_SECONDS, type HalfLogin } from '../auth/factors/ceremonies.js';
import type { Outcome } from '../auth/outcomes.js';
import type { Config } from '../config/config.js';
import { createDeviceCookie, type DeviceCookie } from './device-cookie.js';
import { sendError } from './errors.js';
import { createRefreshCookie, type RefreshCookie } from './refresh-cookie.js';
import { CHALLENGE, rowOf } from './refusals.js';
import { sendJson } from './send-json.js';

export interface TokenAnswer {
  cookie: RefreshCookie;
  /** Undefined if KNOWN_DEVICES is off */
  deviceCookie: DeviceCookie | undefined;
  send(res: Response, outcome: Outcome): void;
}

export function createTokenAnswer(config: Config): TokenAnswer {
  const cookie = createRefreshCookie(config);
  const deviceCookie = config.knownDevices ? createDeviceCookie(config) : undefined;
  return {
    cookie,
    deviceCookie,
    send: (res, outcome) => {
      if (outcome.kind === 'refused') {
        const { status, cookie: action } = rowOf(outcome.reason);
        if (action === 'cleared') cookie.clear(res);
        if (action === 'cleared_everywhere') cookie.clearEverywhere(res);
        if (status === 401) res.set('WWW-Authenticate', CHALLENGE);
        if ('retryAfterSeconds' in outcome) res.set('Retry-After', String(outcome.retryAfterSeconds));
        return sendError(res, outcome.reason, 'challenge' in outcome ? halfLogin(outcome) : undefined);
      }
      res.locals.outcome = outcome.kind === 'retried' ? 'retried' : 'success';
      if (outcome.kind === 'retried') res.set('Refresh-Retry', outcome.proof);
      cookie.set(res, outcome.refreshToken);
      if (outcome.kind === 'granted' && outcome.deviceCookie !== undefined)
        deviceCookie?.set(res, outcome.deviceCookie);
      sendJson(res, tokenBody(outcome.accessToken, config));
    },
  };
}

/** Spec 2.2 and 2.3 */
export function tokenBody(accessToken: string, { accessTokenSeconds }: Config): object {
  return { access_token: accessToken, token_type: 'bearer', expires_in: accessTokenSeconds };
}

/** Interface 20: how the login goes on. */
function halfLogin({ challenge, factors }: HalfLogin) {
  return { challenge, factors, expires_in: CEREMONY_SECONDS };
}
