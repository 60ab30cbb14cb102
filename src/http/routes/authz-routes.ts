/** Forward authentication. A proxy asks who sent a request, and whether its rule lets them pass. (Interface 18) */
import type { Express, Request, Response } from 'express';
import type { CallerDeps, Resolution } from '../../callers/caller.js';
import { presentedKind, presentedTypes, scopesOf } from '../../callers/kinds.js';
import { resolveCaller } from '../../callers/resolve-caller.js';
import { parseRule, violationOf } from '../../callers/rule.js';
import { stepUpChallenge } from '../../callers/step-up.js';
import { fieldValues } from '../../credentials/signatures/http-fields.js';
import { isOutage } from '../../db/outage.js';
import { RETRY_AFTER_SECONDS } from '../../platform/outage.js';
import { reportOutage } from '../../readiness/error-lines.js';
import type { Deps } from '../../services.js';
import { authRequest } from '../authz/auth-request.js';
import { extAuthz } from '../authz/ext-authz.js';
import { forwardAuth } from '../authz/forward-auth.js';
import { assertionOf, hasIdentityField, setIdentity, setNobody } from '../authz/identity.js';
import { type FamilyName, type OriginalRequest, type ProxyFamily, routeOfFamily } from '../authz/original-request.js';
import { addressList, peerAddressOf } from '../client-address.js';
import { setKeyLimit } from '../rate-limits.js';
import { AUTHZ_ERRORS, type AuthzReason } from '../refusals.js';
import { remembering } from '../remembering.js';
import { sendJson } from '../send-json.js';

const FAMILIES: Record<FamilyName, ProxyFamily> = {
  'auth-request': authRequest,
  'forward-auth': forwardAuth,
  'ext-authz': extAuthz,
};

/** Family, rule, and what follows it. Nothing is decoded: a rule needs no percent-encoding, and none is accepted. */
const PATH = /^\/authz\/([a-z-]+)\/([^/?]+)(.*)$/s;

/** A rule is written into the configuration of a proxy, so there are few. */
const MAX_RULES = 1_000;

type AuthzDeps = CallerDeps & Deps<'fullDisk' | 'log' | 'sampling'>;

/** A refusal that was decided here; `fields` and `more` are of the answer. */
interface AuthzRefusal {
  reason: AuthzReason;
  status: number;
  detail: string;
  fields?: Array<[string, string]>;
  more?: object;
}

/** Adds the routes if FORWARD_AUTH_PROXIES and FORWARD_AUTH_ORIGINS are set. No method and no body matters. */
export function addAuthzRoutes(app: Express, deps: AuthzDeps): void {
  const { config } = deps;
  if (config.forwardAuth === undefined) return;
  const isListed = addressList(config.forwardAuth.proxies);
  const origins = new Set(config.forwardAuth.origins);
  const rules = remembering<ReturnType<typeof parseRule>>(MAX_RULES);

  /** @returns why the request is refused; undefined if it may pass, and the answer has its fields */
  const check = async (
    req: Request,
    res: Response,
    family: ProxyFamily,
    [ruleText, rest]: [string, string],
  ): Promise<AuthzRefusal | undefined> => {
    const { locals } = res;
    const peer = peerAddressOf(req.socket) ?? '';
    if (!isListed(peer)) {
      reportPeer(deps, res, peer);
      return refusalOf('proxy_not_listed');
    }
    const rule = rules(ruleText, () => parseRule(ruleText));
    if (rule.kind === 'refused') return refusalOf(rule.reason, rule.detail);
    if (rest.startsWith('/') && !family.hasTargetBehindRule) {
      return refusalOf('rule_invalid', 'The rule must be the end of the path'); // such as caller=user/role=admin
    }
    if (hasIdentityField(req.rawHeaders)) return refusalOf('identity_field');
    const original = family.read(req, rest);
    if ('kind' in original) return refusalOf(original.reason, original.detail);
    if (!origins.has(original.origin)) return refusalOf('origin_not_listed');
    locals.service = original.origin;
    const { rawHeaders } = req;
    const presented = presentedTypes(rawHeaders);
    locals.caller = presentedKind(presented);

    if (rule.allowsPreflight && isPreflight(original, req, locals.caller)) {
      locals.outcome = 'preflight';
      setNobody(res);
      return undefined;
    }
    const { method, origin, target } = original;
    const authority = origin.slice(origin.indexOf('//') + 2);
    const asked = { method, authority, target, rawHeaders, presented, body: undefined };
    const resolution = await resolveCaller(deps, asked, locals.budget, rule.callers);
    if (resolution.kind === 'refused') return unauthorized(resolution, deps);
    if (resolution.limit !== undefined) setKeyLimit(res, resolution.limit);
    if (resolution.kind === 'rate_limited') {
      return refusalOf('rate_limited', undefined, [['Retry-After', String(resolution.limit.resetSeconds)]]);
    }
    const scopes = scopesOf(resolution.caller, config);
    const violation = violationOf(rule, resolution.caller, scopes, deps.clock.now());
    if (violation === 'confirmation_required') {
      return refusalOf(violation, undefined, [['WWW-Authenticate', stepUpChallenge(rule.proof)]]);
    }
    if (violation !== undefined) return refusalOf(violation);
    setIdentity(
      res,
      resolution,
      scopes,
      rule.hasAssertion ? assertionOf(deps, resolution, scopes, original) : undefined,
    );
    locals.outcome = 'success';
    return undefined;
  };

  const answer = async (req: Request, res: Response, family: ProxyFamily, path: [string, string]): Promise<void> => {
    res.locals.route = routeOfFamily(family.name);
    let refusal: AuthzRefusal | undefined;
    try {
      refusal = await check(req, res, family, path);
    } catch (error) {
      if (!isOutage(error)) throw error;
      reportOutage(deps, res.locals.ids, error);
      refusal = refusalOf('unavailable', undefined, [['Retry-After', String(RETRY_AFTER_SECONDS)]]);
    }
    if (refusal === undefined) return void res.status(200).end();
    refuse(res, family, refusal);
  };

  app.use((req, res, next) => {
    const [, name = '', ruleText = '', rest = ''] = PATH.exec(req.originalUrl) ?? [];
    return isFamily(name) ? answer(req, res, FAMILIES[name], [ruleText, rest]) : next();
  });
}

function isFamily(name: string): name is FamilyName {
  return Object.hasOwn(FAMILIES, name);
}

function refusalOf(
  reason: keyof typeof AUTHZ_ERRORS,
  detail: string = AUTHZ_ERRORS[reason].detail,
  fields: Array<[string, string]> = [],
): AuthzRefusal {
  return { reason, status: AUTHZ_ERRORS[reason].status, detail, fields };
}

/** The reasons are those of GraphQL (Interface 6). */
function unauthorized(
  { reason, detail, fields, signatureBase }: Extract<Resolution, { kind: 'refused' }>,
  { clock }: Deps<'clock'>,
): AuthzRefusal {
  const more = {
    ...(reason === 'signature_expired' && { server_time: clock.now().toISOString() }),
    ...(signatureBase !== undefined && { signature_base: signatureBase }),
  };
  return { reason, status: 401, detail, fields, more };
}

function refuse(res: Response, family: ProxyFamily, { reason, status, detail, fields = [], more }: AuthzRefusal): void {
  res.locals.outcome = reason;
  for (const [name, value] of fields) res.set(name, value);
  if (!family.passesOn(status)) res.set('X-Auth-Status', String(status));
  sendJson(res.status(family.passesOn(status) ? status : 403), { detail, reason, ...more });
}

/** A browser asks whether it may send a request to another origin (Fetch, section 3.3.2), and never sends a credential. */
function isPreflight({ method }: OriginalRequest, { rawHeaders }: Request, presented: string): boolean {
  const hasOne = (name: string): boolean => fieldValues(rawHeaders, name).length === 1;
  return method === 'OPTIONS' && presented === 'none' && hasOne('origin') && hasOne('access-control-request-method');
}

/** An operator who has forgotten to list a proxy finds its address here. */
function reportPeer({ log, sampling }: AuthzDeps, { locals }: Response, peer: string): void {
  sampling.sample('proxy_not_listed', 1, (more) => {
    log.warn(
      { ...locals.ids, peer_ip: peer, ...more },
      'refused to say who is calling: FORWARD_AUTH_PROXIES does not list the peer',
    );
  });
}
