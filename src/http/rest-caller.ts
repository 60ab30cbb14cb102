/** The caller of a REST route for credentials of several kinds. (Interface 6) */
import type { Request, Response } from 'express';
import type { Caller, CallerDeps, CallerType } from '../callers/caller.js';
import { presentedKind, presentedTypes } from '../callers/kinds.js';
import { resolveCaller } from '../callers/resolve-caller.js';
import { setKeyLimit } from './rate-limits.js';
import { AUTHZ_ERRORS } from './refusals.js';
import { signingHints } from './refused-caller.js';
import { sendJson } from './send-json.js';

/**
 * @param welcome the kinds of which a 401 asks for one
 * @returns undefined if the request is answered: 401, or 429 by the limit of the key
 */
export async function readCaller(
  deps: CallerDeps,
  req: Request,
  res: Response,
  welcome?: readonly CallerType[],
): Promise<Caller | undefined> {
  const { locals } = res;
  const { method, originalUrl: target, rawHeaders } = req;
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const presented = presentedTypes(rawHeaders);
  locals.caller = presentedKind(presented);
  const asked = { method, authority: deps.config.publicAuthority, target, rawHeaders, presented, body };
  const resolution = await resolveCaller(deps, asked, locals.budget, welcome);
  if (resolution.kind === 'refused') {
    locals.outcome = resolution.reason;
    for (const [name, value] of resolution.fields) res.set(name, value);
    const { detail, reason } = resolution;
    sendJson(res.status(401), { detail, reason, ...signingHints(resolution, deps) });
    return undefined;
  }
  if (resolution.limit !== undefined) setKeyLimit(res, resolution.limit);
  if (resolution.kind === 'caller') return resolution.caller;
  refuseCaller(res.set('Retry-After', String(resolution.limit.resetSeconds)), 'rate_limited');
  return undefined;
}

export function refuseCaller(res: Response, reason: 'rate_limited' | 'caller_not_allowed' | 'scope_missing'): void {
  const { status, detail } = AUTHZ_ERRORS[reason];
  res.locals.outcome = reason;
  sendJson(res.status(status), { detail, reason });
}
