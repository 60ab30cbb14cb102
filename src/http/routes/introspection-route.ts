/** Token introspection: whether the session of an access token is live, read at this moment. (Interface 23, RFC 7662) */
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { readLiveSession } from '../../auth/live-sessions.js';
import type { CallerDeps, CallerType } from '../../callers/caller.js';
import { presentedKind, presentedTypes, scopesOf } from '../../callers/kinds.js';
import { resolveCaller } from '../../callers/resolve-caller.js';
import { BEARER_TOKEN } from '../../callers/user.js';
import { readClaims } from '../../credentials/tokens/compact-jws.js';
import { CLIENT_ID } from '../../credentials/tokens/jwt.js';
import { assuranceOf } from '../../domain/assurance.js';
import { allScopesInSession, type OwnScope } from '../../domain/scopes.js';
import { epochSeconds } from '../../platform/clock.js';
import { methodNotAllowed, sendError } from '../errors.js';
import { setKeyLimit } from '../rate-limits.js';
import { AUTHZ_ERRORS } from '../refusals.js';
import { signingHints } from '../refused-caller.js';
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
    const { locals } = res;
    const { method, originalUrl: target, rawHeaders } = req;
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const presented = presentedTypes(rawHeaders);
    locals.caller = presentedKind(presented);
    const asked = { method, authority: config.publicAuthority, target, rawHeaders, presented, body };
    const resolution = await resolveCaller(deps, asked, locals.budget, ASKERS);
    if (resolution.kind === 'refused') {
      locals.outcome = resolution.reason;
      for (const [name, value] of resolution.fields) res.set(name, value);
      const { detail, reason } = resolution;
      sendJson(res.status(401), { detail, reason, ...signingHints(resolution, deps) });
      return false;
    }
    if (resolution.limit !== undefined) setKeyLimit(res, resolution.limit);
    if (resolution.kind === 'rate_limited') {
      return refuse(res.set('Retry-After', String(resolution.limit.resetSeconds)), 'rate_limited');
    }
    const { caller } = resolution;
    if (!ASKERS.includes(caller.callerType)) return refuse(res, 'caller_not_allowed');
    return scopesOf(caller, config).includes(SCOPE) || refuse(res, 'scope_missing');
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

function refuse(res: Response, reason: 'rate_limited' | 'caller_not_allowed' | 'scope_missing'): false {
  const { status, detail } = AUTHZ_ERRORS[reason];
  res.locals.outcome = reason;
  sendJson(res.status(status), { detail, reason });
  return false;
}

const requireForm: RequestHandler = (req, res, next) => {
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(req.get('content-type') ?? '');
  const isPlain = /^identity$/i.test(req.get('content-encoding') ?? 'identity');
  if (isForm && isPlain) next();
  else sendError(res, 'unsupported_media_type', { detail: ONLY_FORMS });
};
