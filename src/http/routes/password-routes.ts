/**
 * The routes by which people change their password, or set it by a link. Parse at the edge, decide in `auth/`, answer.
 * (Interface 15)
 */
import type { Express, Request, RequestHandler, Response } from 'express';
import { changePassword } from '../../auth/change-password.js';
import { requestReset } from '../../auth/forgot-password.js';
import type { RefusedPassword } from '../../auth/outcomes.js';
import { findLinkedUser, hashOfToken } from '../../auth/password-links.js';
import { redeemLink } from '../../auth/redeem-link.js';
import { refuseTokenOfNobody, resolveUser } from '../../callers/resolve-user.js';
import type { Deps } from '../../services.js';
import { ON_ITS_WAY } from '../answer-texts.js';
import { methodNotAllowed, refuseUser, sendError } from '../errors.js';
import { parseBody } from '../json-body.js';
import { changeBody, checkBody, forgotBody, redeemBody } from '../password-bodies.js';
import { CHALLENGE } from '../refusals.js';
import { sendJson } from '../send-json.js';

type Dependencies = Deps<
  'clock' | 'config' | 'db' | 'metrics' | 'passwordRules' | 'passwords' | 'placeholderHashes' | 'tokens' | 'tracing'
>;

/** @param guards what a request with a password passes first */
export function addPasswordRoutes(app: Express, deps: Dependencies, guards: RequestHandler[]): void {
  /** The services, within the budget of this request. */
  const depsOf = ({ locals: { budget } }: Response): Dependencies => ({ ...deps, db: deps.db.within(budget) });

  app
    .route('/auth/password')
    .post(guards, async (req: Request, res: Response) => {
      const caller = await resolveUser(deps, req.rawHeaders);
      if (caller.kind === 'refused') return refuseUser(res, caller);
      const parsed = parseBody(changeBody, req.body);
      if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
      using slot = deps.passwords.takeSlot(() => !req.socket.writable);
      const outcome = await changePassword(depsOf(res), caller.claims, parsed.body, res.locals.origin, slot);
      if (outcome === undefined) return;
      if (outcome.kind === 'changed') {
        res.locals.outcome = 'success';
        sendJson(res, { sessions_ended: outcome.sessionsEnded });
      } else if (outcome.reason === 'body_invalid') refusePassword(res, outcome);
      else if (outcome.reason === 'user_gone') refuseUser(res, refuseTokenOfNobody());
      else {
        if ('retryAfterSeconds' in outcome) res.set('Retry-After', String(outcome.retryAfterSeconds));
        sendError(res, outcome.reason);
      }
    })
    .all(methodNotAllowed('POST'));

  if (deps.config.mail.kind !== 'off') addForgotRoute(app, deps, guards);

  app
    .route('/auth/password/redeem')
    .post(guards, async (req: Request, res: Response) => {
      const parsed = parseBody(redeemBody, req.body);
      if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
      using slot = deps.passwords.takeSlot(() => !req.socket.writable);
      const outcome = await redeemLink(depsOf(res), parsed.body, res.locals.origin, slot);
      if (outcome === undefined) return;
      if (outcome.kind === 'redeemed') {
        res.locals.outcome = 'success';
        res.status(204).end();
      } else if (outcome.reason === 'body_invalid') refusePassword(res, outcome);
      else refuseLink(res);
    })
    .all(methodNotAllowed('POST'));

  app
    .route('/auth/password/check')
    .post(guards, async (req: Request, res: Response) => {
      const parsed = parseBody(checkBody, req.body);
      if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
      const user = await findLinkedUser(depsOf(res).db, hashOfToken(parsed.body.token), deps.clock.now());
      if (user === undefined) return refuseLink(res);
      res.locals.outcome = 'success';
      res.status(204).end();
    })
    .all(methodNotAllowed('POST'));
}

/** Only if MAIL is on, so that the route is 404 otherwise. */
function addForgotRoute(app: Express, deps: Deps<'clock' | 'db'>, guards: RequestHandler[]): void {
  app
    .route('/auth/password/forgot')
    .post(guards, async (req: Request, res: Response) => {
      const parsed = parseBody(forgotBody, req.body);
      if ('errors' in parsed) return sendError(res, 'body_invalid', parsed);
      const { budget, origin } = res.locals;
      await requestReset({ clock: deps.clock, db: deps.db.within(budget) }, parsed.body.email, origin);
      res.locals.outcome = 'success';
      sendJson(res.status(202), { detail: ON_ITS_WAY });
    })
    .all(methodNotAllowed('POST'));
}

function refuseLink(res: Response): void {
  res.set('WWW-Authenticate', CHALLENGE);
  sendError(res, 'link_invalid');
}

function refusePassword(res: Response, { fault: { message, reason } }: RefusedPassword): void {
  sendError(res, 'body_invalid', { errors: [{ field: 'new_password', message, reason }] });
}
