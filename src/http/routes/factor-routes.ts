/**
 * The routes of second factors: the second step of a login, passkeys, confirmation, and what users do with their own factors.
 * Parse at the edge, decide in `auth/factors/`, answer. (Interface 20)
 */
import type { Express, Request, RequestHandler, Response } from 'express';
import { beginConfirmation, confirm } from '../../auth/factors/confirm.js';
import {
  activateTotp,
  beginPasskey,
  beginTotp,
  finishPasskey,
  removeOwnFactor,
  renewRecoveryCodes,
} from '../../auth/factors/enrol.js';
import { beginPasskeyLogin, finishLogin, logInByPasskey, type Visitor } from '../../auth/factors/login.js';
import { resolveUser } from '../../callers/resolve-user.js';
import { isUuid } from '../../platform/ids.js';
import type { Deps } from '../../services.js';
import { methodNotAllowed, refuseUser } from '../errors.js';
import {
  codeBody,
  confirmBody,
  factorLoginBody,
  newPasskeyBody,
  noMembers,
  passkeyLoginBody,
  passkeyOptionsBody,
} from '../factor-bodies.js';
import { readJson, requireJson } from '../json-body.js';
import { countedGuards } from '../login-guards.js';
import { loginPolicy } from '../rate-limits.js';
import { type TokenAnswer, tokenBody } from '../token-answer.js';
import { claimsOf, refuseOwn, routeOf, succeed, userRoutes } from '../user-routes.js';

type Dependencies = Deps<
  'clock' | 'config' | 'db' | 'keyring' | 'metrics' | 'passwords' | 'placeholderHashes' | 'tokens' | 'tracing'
>;

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
  const { addPost, ownGuards } = userRoutes(app, deps, countLogin);
  const own = [...ownGuards, requireJson, readJson];

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
    .delete(ownGuards, async (req: Request, res: Response) => {
      res.locals.route = routeOf('/auth/factors/:id');
      const removed = await removeOwnFactor(depsOf(res), claimsOf(res), idOf(req), res.locals.origin);
      if (removed.kind === 'refused') return refuseOwn(res, removed);
      res.locals.outcome = 'success';
      res.status(204).end();
    })
    .all(loginPolicy(config.login), methodNotAllowed('DELETE'));
}

/** Any text that is no UUID is the id of nothing. */
function idOf({ params: { id } }: Request): string {
  return isUuid(id) ? id.toLowerCase() : NO_ID;
}
const NO_ID = '00000000-0000-0000-0000-000000000000';
