/**
 * The routes of second factors: the second step of a login, passkeys, confirmation, and what users do with their own factors.
 * Parse at the edge, decide in `auth/factors/`, answer. (Interface 20)
 */
import type { Express, Request, RequestHandler, Response } from 'express';
import type * as z from 'zod';
import { beginConfirmation, confirm } from '../../auth/factors/confirm.js';
import {
  activateTotp,
  beginPasskey,
  beginTotp,
  finishPasskey,
  removeOwnFactor,
  renewRecoveryCodes,
} from '../../auth/factors/enrol.js';
import { FRESH_SECONDS, type SessionGone, type Stale } from '../../auth/factors/fresh.js';
import { beginPasskeyLogin, finishLogin, logInByPasskey, type Visitor } from '../../auth/factors/login.js';
import type { FactorRefusal, Locked } from '../../auth/outcomes.js';
import { refuseTokenOfNobody, resolveUser } from '../../callers/resolve-user.js';
import { stepUpChallenge } from '../../callers/step-up.js';
import type { AccessClaims } from '../../credentials/tokens/jwt.js';
import { isUuid } from '../../platform/ids.js';
import type { Refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import { crossSiteRefusal } from '../cross-site.js';
import { methodNotAllowed, refuseUser, sendError } from '../errors.js';
import {
  codeBody,
  confirmBody,
  factorLoginBody,
  newPasskeyBody,
  noMembers,
  passkeyLoginBody,
  passkeyOptionsBody,
} from '../factor-bodies.js';
import { parseBody, readJson, requireJson } from '../json-body.js';
import { countedGuards } from '../login-guards.js';
import { loginPolicy } from '../rate-limits.js';
import { CHALLENGE } from '../refusals.js';
import { sendJson } from '../send-json.js';
import { type TokenAnswer, tokenBody } from '../token-answer.js';

type Dependencies = Deps<
  'clock' | 'config' | 'db' | 'keyring' | 'metrics' | 'passwords' | 'placeholderHashes' | 'tokens'
>;

type OwnRefusal = Stale | SessionGone | Locked | Refused<FactorRefusal>;

/** @param countLogin counts a request for the login limit of its address */
export function addFactorRoutes(
  app: Express,
  deps: Dependencies,
  countLogin: RequestHandler,
  { deviceCookie, send }: TokenAnswer,
): void {
  const { config } = deps;
  /** The services, within the budget of this request. */
  const depsOf = ({ locals: { budget } }: Response): Dependencies => ({ ...deps, db: deps.db.within(budget) });
  const visitorOf = (req: Request, res: Response): Visitor => ({
    origin: res.locals.origin,
    entries: deviceCookie?.read(req),
  });

  const counted = countedGuards(deps, countLogin);
  const refuseCrossSite = crossSiteRefusal(config);
  const policy = loginPolicy(config.login);

  /**
   * The user of a route for their own factors. Only a request without a valid token counts for the address: who has one has
   * proved who they are, and needs six requests to add an app and a passkey.
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
  const own = [refuseCrossSite, policy, requireUser, requireJson, readJson];

  /** A POST whose body has this form. Any other method is 405, which costs no login. */
  const addPost = <Body>(
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
  };

  addPost('/auth/login/factor', counted, factorLoginBody, async ({ challenge, ...presented }, req, res) =>
    send(res, await finishLogin(depsOf(res), challenge, presented, visitorOf(req, res))),
  );

  addPost('/auth/login/passkey/options', counted, passkeyOptionsBody, async ({ challenge }, _req, res) => {
    const options = await beginPasskeyLogin(depsOf(res), challenge);
    if ('kind' in options) return send(res, options);
    succeed(res, options);
  });

  addPost('/auth/login/passkey', counted, passkeyLoginBody, async ({ ceremony, credential }, req, res) =>
    send(res, await logInByPasskey(depsOf(res), ceremony, credential, visitorOf(req, res))),
  );

  addPost('/auth/confirm', counted, confirmBody, async (body, req, res) => {
    const caller = await resolveUser(deps, req.rawHeaders);
    if (caller.kind === 'refused') return refuseUser(res, caller);
    using slot = 'password' in body ? deps.passwords.takeSlot(() => !req.socket.writable) : undefined;
    const outcome = await confirm(depsOf(res), caller.claims, body, res.locals.origin, slot);
    if (outcome === undefined) return;
    if (outcome.kind === 'refused') return refuseOwn(res, outcome);
    succeed(res, tokenBody(outcome.accessToken, config));
  });

  addPost('/auth/confirm/options', counted, noMembers, async (_body, req, res) => {
    const caller = await resolveUser(deps, req.rawHeaders);
    if (caller.kind === 'refused') return refuseUser(res, caller);
    const options = await beginConfirmation(depsOf(res), caller.claims);
    if ('kind' in options) return refuseOwn(res, options);
    succeed(res, options);
  });

  addPost('/auth/factors/totp', own, noMembers, async (_body, _req, res) => {
    const begun = await beginTotp(depsOf(res), claimsOf(res));
    if (begun.kind === 'refused') return refuseOwn(res, begun);
    const { id, secret, uri } = begun;
    succeed(res, { id, secret, uri });
  });

  addPost('/auth/factors/totp/:id', own, codeBody, async ({ code }, req, res) => {
    const added = await activateTotp(depsOf(res), claimsOf(res), idOf(req), code, res.locals.origin);
    if (added.kind === 'refused') return refuseOwn(res, added);
    succeed(res, { recovery_codes: added.recoveryCodes });
  });

  addPost('/auth/factors/passkey/options', own, noMembers, async (_body, _req, res) => {
    const begun = await beginPasskey(depsOf(res), claimsOf(res));
    if (begun.kind === 'refused') return refuseOwn(res, begun);
    const { ceremony, publicKey } = begun;
    succeed(res, { ceremony, publicKey });
  });

  addPost('/auth/factors/passkey', own, newPasskeyBody, async (body, _req, res) => {
    const added = await finishPasskey(depsOf(res), claimsOf(res), body, res.locals.origin);
    if (added.kind === 'refused') return refuseOwn(res, added);
    succeed(res, { id: added.id, recovery_codes: added.recoveryCodes });
  });

  addPost('/auth/factors/recovery-codes', own, noMembers, async (_body, _req, res) => {
    const renewed = await renewRecoveryCodes(depsOf(res), claimsOf(res), res.locals.origin);
    if (renewed.kind === 'refused') return refuseOwn(res, renewed);
    succeed(res, { recovery_codes: renewed.recoveryCodes });
  });

  app
    .route('/auth/factors/:id')
    .delete(refuseCrossSite, policy, requireUser, async (req, res) => {
      res.locals.route = routeOf('/auth/factors/:id');
      const removed = await removeOwnFactor(depsOf(res), claimsOf(res), idOf(req), res.locals.origin);
      if (removed.kind === 'refused') return refuseOwn(res, removed);
      res.locals.outcome = 'success';
      res.status(204).end();
    })
    .all(policy, methodNotAllowed('DELETE'));
}

/** The route in logs and metrics */
function routeOf(path: string): string {
  return path.replace(':id', 'ID');
}

/** Any text that is no UUID is the id of nothing. */
function idOf({ params: { id } }: Request): string {
  return isUuid(id) ? id.toLowerCase() : NO_ID;
}
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Set by `requireUser`. */
function claimsOf({ locals: { claims } }: Response): AccessClaims {
  if (claims === undefined) throw new TypeError('the route has no user');
  return claims;
}

function succeed(res: Response, body: object): void {
  res.locals.outcome = 'success';
  sendJson(res, body);
}

/** Of a route for users. A password will not do where there is a factor: 403, since the token is good. */
function refuseOwn(res: Response, outcome: OwnRefusal): void {
  const { reason } = outcome;
  if (reason === 'user_gone') return refuseUser(res, refuseTokenOfNobody());
  if (reason === 'confirmation_required') {
    const acr = 'acr' in outcome ? outcome.acr : undefined;
    res.set('WWW-Authenticate', stepUpChallenge({ acr, maxAgeSeconds: FRESH_SECONDS }));
  }
  if (reason === 'challenge_invalid') res.set('WWW-Authenticate', CHALLENGE);
  if ('retryAfterSeconds' in outcome) res.set('Retry-After', String(outcome.retryAfterSeconds));
  sendError(res, reason, undefined, reason === 'second_factor_required' ? 403 : undefined);
}
