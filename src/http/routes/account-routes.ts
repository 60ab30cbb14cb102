/**
 * The routes by which people change their e-mail, get what is stored about them, and leave. Parse at the edge, decide in
 * `auth/email/` and `admin/`, answer. Only if ACCOUNT is on, so that they are 404 otherwise. (Interface 21)
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, RequestHandler, Response } from 'express';
import { readPerson } from '../../admin/person.js';
import { documentOf } from '../../admin/person-document.js';
import { eraseOwnAccount } from '../../admin/user-erasure.js';
import { redeemEmailChange, requestEmailChange, undoEmailChange } from '../../auth/email/change.js';
import { readSession, staleness } from '../../auth/factors/fresh.js';
import { AdminRefusal } from '../../listing/refusal.js';
import { codeOf } from '../../platform/logger.js';
import { refused } from '../../platform/refused.js';
import type { Deps } from '../../services.js';
import { emailBody, emailLinkBody } from '../account-bodies.js';
import { EMAIL_ON_ITS_WAY } from '../answer-texts.js';
import { methodNotAllowed, sendError } from '../errors.js';
import { readJson, requireJson } from '../json-body.js';
import { countedGuards } from '../login-guards.js';
import { loginPolicy } from '../rate-limits.js';
import type { TokenAnswer } from '../token-answer.js';
import { claimsOf, refuseOwn, succeed, userRoutes } from '../user-routes.js';

type Dependencies = Deps<'clock' | 'config' | 'db' | 'keyring' | 'tokens' | 'tracing'>;

/** @param countLogin counts a request for the login limit of its address */
export function addAccountRoutes(
  app: Express,
  deps: Dependencies,
  countLogin: RequestHandler,
  { cookie }: Pick<TokenAnswer, 'cookie'>,
): void {
  const { config, clock } = deps;
  /** The services, within the budget of this request. */
  const depsOf = ({ locals: { budget } }: Response): Dependencies => ({ ...deps, db: deps.db.within(budget) });
  const { addPost, ownGuards } = userRoutes(app, deps, countLogin);
  const policy = loginPolicy(config.login);

  if (config.mail.kind !== 'off') {
    const own = [...ownGuards, requireJson, readJson];
    addPost('/auth/email', own, emailBody, async ({ email }, _req, res) => {
      const requested = await requestEmailChange(depsOf(res), claimsOf(res), email, res.locals.origin);
      if (requested.kind === 'refused') return refuseOwn(res, requested);
      succeed(res, { detail: EMAIL_ON_ITS_WAY }, 202);
    });

    addPost('/auth/email/redeem', own, emailLinkBody, async ({ token }, _req, res) => {
      const changed = await redeemEmailChange(depsOf(res), claimsOf(res), token, res.locals.origin);
      if (changed.kind === 'refused') return refuseOwn(res, changed);
      succeed(res, { email: changed.email });
    });

    addPost('/auth/email/undo', countedGuards(deps, countLogin), emailLinkBody, async ({ token }, _req, res) => {
      const undone = await undoEmailChange(depsOf(res), token, res.locals.origin);
      if (undone.kind === 'refused') return refuseOwn(res, undone);
      res.locals.outcome = 'success';
      res.status(204).end();
    });
  }

  app
    .route('/auth/account/export')
    .get(ownGuards, async (_req: Request, res: Response) => {
      const { db } = depsOf(res);
      const session = await readSession({ clock, db }, claimsOf(res));
      if (session === undefined) return refuseOwn(res, refused('user_gone'));
      const stale = staleness(session, clock.now());
      if (stale !== undefined) return refuseOwn(res, stale);
      const { id } = session.user;
      const text = Readable.from(documentOf(clock.now(), id, await readPerson(deps, id)));
      text.once('end', () => {
        res.locals.outcome = 'success';
      });
      res.set('Content-Disposition', 'attachment; filename="account.json"').type('json');
      await pipeline(text, res).catch((error: Error) => {
        if (codeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error; // the client has gone: the log says so
      });
    })
    .all(policy, methodNotAllowed('GET', 'HEAD'));

  app
    .route('/auth/account')
    .delete(ownGuards, async (_req: Request, res: Response) => {
      const erased = await eraseOwnAccount(depsOf(res), claimsOf(res), res.locals.origin).catch((error: unknown) => {
        if (error instanceof AdminRefusal && error.reason === 'last_administrator') return undefined;
        throw error;
      });
      if (erased === undefined) return sendError(res, 'last_administrator');
      if ('kind' in erased) return refuseOwn(res, erased);
      cookie.clear(res);
      res.locals.outcome = 'success';
      res.status(204).end();
    })
    .all(policy, methodNotAllowed('DELETE'));
}
