/** Token introspection: whether the session of an access token is live, read at this moment. (Interface 23, RFC 7662) */
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { readLiveSession } from '../../auth/live-sessions.js';
import type { CallerDeps, CallerType } from '../../callers/caller.js';
import { scopesOf } from '../../callers/kinds.js';
import { BEARER_TOKEN } from '../../callers/user.js';
import { readClaims } from '../../credentials/tokens/compact-jws.js';
import { CLIENT_ID } from '../../credentials/tokens/jwt.js';
import { assuranceOf } from '../../domain/assurance.js';
import { allScopesInSession, type OwnScope } from '../../domain/scopes.js';
import { epochSeconds } from '../../platform/clock.js';
import { methodNotAllowed, sendError } from '../errors.js';
import { readCaller, refuseCaller } from '../rest-caller.js';
import { sendJson } from '../send-json.js';

export const INTROSPECTION_PATH = '/oauth/introspect';
const BODY_BYTES = 16 * 1024;
const SCOPE: OwnScope = 'tokens:introspect';
/** RFC 7662 section 2.1: who may ask is known, so that nobody tries tokens. People have no need to. */
const ASKERS: CallerType[] = ['api_key', 'cron'];

export function addIntrospectionRoute(app: Express, deps: CallerDeps): void {
  const { config } = deps;

  /** @returns false if the request is answered: it may not ask */
  const mayAsk = async (req: Request, res: Response): Promise<boolean> => {
    const caller = await readCaller(deps, req, res, ASKERS);
    if (caller === undefined) return false;
    const mayNot = !ASKERS.includes(caller.callerType) ? 'caller_not_allowed' : 'scope_missing';
    if (mayNot === 'scope_missing' && scopesOf(caller, config).includes(SCOPE)) return true;
    refuseCaller(res, mayNot);
    return false;
  };

  const post: RequestHandler = async (req, res) => {
    if (!(await mayAsk(req, res))) return;
    const [token, ...others] = new URLSearchParams(String(req.body)).getAll('token');
    if (!token || others.length > 0) return sendError(res, 'malformed_request', { detail: ONE_TOKEN });
    const found = await introspect({ ...deps, db: deps.db.within(res.locals.budget) }, token);
    res.locals.outcome = found === undefined ? 'inactive' : 'active';
    sendJson(res, found ?? { active: false });
  };

  app
    .route(INTROSPECTION_PATH)
    .post(requireForm, express.raw({ type: () => true, limit: BODY_BYTES }), post)
    .all(methodNotAllowed('POST'));
}

export const ONLY_FORMS = 'Content-Type must be application/x-www-form-urlencoded, unencoded';
export const ONE_TOKEN = 'Send the form field token once';

/**
 * What is true of an access token now: role, scopes and proofs may be others than the token says.
 * @returns undefined if it is none of ours or has expired, or its session has ended
 */
async function introspect(
  { clock, config, db, tokens }: CallerDeps,
  token: string,
): Promise<Record<string, unknown> | undefined> {
  if (!BEARER_TOKEN.test(token)) return undefined; // white space around it, which jose passes over
  const now = clock.now();
  const claims = await tokens.verifyAccessToken(token, now);
  if (claims?.sid === undefined) return undefined;
  const { sub, sid } = claims;
  const live = await readLiveSession(db, { sub, sid }, now);
  if (live === undefined) return undefined;
  const { role, amr, provedAt } = live;
  const acr = assuranceOf(amr);
  const scopes = allScopesInSession({ role, acr }, config);
  const { iat, exp, aud } = readClaims(token);
  return {
    active: true,
    sub,
    sid,
    role,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    client_id: CLIENT_ID,
    token_type: 'Bearer',
    iss: config.publicUrl,
    aud,
    iat,
    exp,
    auth_time: epochSeconds(provedAt),
    amr,
    acr,
  };
}

const requireForm: RequestHandler = (req, res, next) => {
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(req.get('content-type') ?? '');
  const isPlain = /^identity$/i.test(req.get('content-encoding') ?? 'identity');
  if (isForm && isPlain) next();
  else sendError(res, 'unsupported_media_type', { detail: ONLY_FORMS });
};
