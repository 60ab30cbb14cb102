/** What the routes by which users act on what is their own have in common. (Interface 20 and 21) */
import type { Express, Request, RequestHandler, Response } from 'express';
import type * as z from 'zod';
import { FRESH_SECONDS, type SessionGone, type Stale } from '../auth/factors/fresh.js';
import type { EmailRefusal, FactorRefusal, Locked } from '../auth/outcomes.js';
import { refuseTokenOfNobody, resolveUser } from '../callers/resolve-user.js';
import { stepUpChallenge } from '../callers/step-up.js';
import type { AccessClaims } from '../credentials/tokens/jwt.js';
import type { Refused } from '../platform/refused.js';
import type { Deps } from '../services.js';
import { crossSiteRefusal } from './cross-site.js';
import { methodNotAllowed, refuseUser, sendError } from './errors.js';
import { parseBody } from './json-body.js';
import { loginPolicy } from './rate-limits.js';
import { CHALLENGE } from './refusals.js';
import { sendJson } from './send-json.js';

type OwnRefusal = Stale | SessionGone | Locked | Refused<FactorRefusal | EmailRefusal>;

/** @param countLogin counts a request for the login limit of its address */
export function userRoutes(
  app: Express,
  deps: Deps<'clock' | 'config' | 'tokens' | 'tracing'>,
  countLogin: RequestHandler,
) {
  const policy = loginPolicy(deps.config.login);

  /**
   * Only a request without a valid token counts for the address: who has one has proved who they are, and needs six requests to
   * add an app and a passkey.
   */
  const requireUser: RequestHandler = async (req, res, next) => {
    deps.clock.requireSynced();
    const caller = await resolveUser(deps, req.rawHeaders);
    if (caller.kind === 'refused') {
      await countLogin(req, res, () => refuseUser(res, caller));
      return;
    }
    res.locals.claims = caller.claims;
    next();
  };

  return {
    /** Of a route for a user alone; `claimsOf` then has the claims of the access token. */
    ownGuards: [crossSiteRefusal(deps.config), policy, requireUser],

    /** A POST whose body has this form. Any other method is 405, which costs no login. */
    addPost: <Body>(
      path: string,
      guards: RequestHandler[],
      schema: z.ZodType<Body, unknown>,
      answer: (body: Body, req: Request, res: Response) => Promise<void>,
    ): void => {
      const post: RequestHandler = async (req, res) => {
        if (path.includes(':')) res.locals.route = routeOf(path);
        const parsed = parseBody(schema, req.body);
        if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
        await answer(parsed.body, req, res);
      };
      app.route(path).post(guards, post).all(policy, methodNotAllowed('POST'));
    },
  };
}

/** The route in logs and metrics */
export function routeOf(path: string): string {
  return path.replace(':id', 'ID');
}

/** Set by `ownGuards`. */
export function claimsOf({ locals: { claims } }: Response): AccessClaims {
  if (claims === undefined) throw new TypeError('the route has no user');
  return claims;
}

export function succeed(res: Response, body: object, status = 200): void {
  res.locals.outcome = 'success';
  sendJson(res.status(status), body);
}

/** Of a route for users. A password will not do if there is a factor: 403, since the token is good. */
export function refuseOwn(res: Response, outcome: OwnRefusal): void {
  const { reason } = outcome;
  if (reason === 'user_gone') return refuseUser(res, refuseTokenOfNobody());
  if (reason === 'confirmation_required') {
    const acr = 'acr' in outcome ? outcome.acr : undefined;
    res.set('WWW-Authenticate', stepUpChallenge({ acr, maxAgeSeconds: FRESH_SECONDS }));
  }
  if (reason === 'challenge_invalid' || reason === 'link_invalid') res.set('WWW-Authenticate', CHALLENGE);
  if ('retryAfterSeconds' in outcome) res.set('Retry-After', String(outcome.retryAfterSeconds));
  sendError(res, reason, undefined, reason === 'second_factor_required' ? 403 : undefined);
}
