/** Forward authentication. A proxy asks who sent a request, and whether its rule lets them pass. (Interface 18) */
import type { Express, Request, Response } from 'express';
import { readLiveSession } from '../../auth/live-sessions.js';
import type { CallerDeps, Resolution, UserCaller } from '../../callers/caller.js';
import { presentedKind, presentedTypes, scopesOf } from '../../callers/kinds.js';
import { challengeWith, resolveCaller } from '../../callers/resolve-caller.js';
import { parseRule, type Rule, violationOf } from '../../callers/rule.js';
import { stepUpChallenge } from '../../callers/step-up.js';
import { fieldValues } from '../../credentials/signatures/http-fields.js';
import { isOutage } from '../../db/outage.js';
import { RETRY_AFTER_SECONDS } from '../../platform/outage.js';
import { traceparentOf } from '../../platform/tracing.js';
import { reportOutage } from '../../readiness/error-lines.js';
import type { Deps } from '../../services.js';
import { authRequest } from '../authz/auth-request.js';
import { extAuthz } from '../authz/ext-authz.js';
import { forwardAuth } from '../authz/forward-auth.js';
import { assertionOf, hasIdentityField, type KnownCaller, setIdentity, setNobody } from '../authz/identity.js';
import { type FamilyName, type OriginalRequest, type ProxyFamily, routeOfFamily } from '../authz/original-request.js';
import {
  answerOwnPath,
  gateChallenge,
  isNavigation,
  isOwnPath,
  isSecure,
  type Redirect,
  resolveCookie,
  setServiceCookies,
  toGate,
} from '../authz/pages.js';
import { addressList, peerAddressOf } from '../client-address.js';
import { loggableOrigin } from '../cross-site.js';
import { setKeyLimit } from '../rate-limits.js';
import { AUTHZ_ERRORS, type AuthzReason } from '../refusals.js';
import { signingHints } from '../refused-caller.js';
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

/** `undefined`: the request may pass, and the answer has its fields */
type Checked = AuthzRefusal | Redirect | undefined;

/** Adds the routes if FORWARD_AUTH_PROXIES and FORWARD_AUTH_ORIGINS are set. No method and no body matters. */
export function addAuthzRoutes(app: Express, deps: AuthzDeps): void {
  const { config } = deps;
  if (config.forwardAuth === undefined) return;
  const isListed = addressList(config.forwardAuth.proxies);
  const origins = new Set(config.forwardAuth.origins);
  const rules = remembering<ReturnType<typeof parseRule>>(MAX_RULES);

  const check = async (
    req: Request,
    res: Response,
    family: ProxyFamily,
    [ruleText, rest]: [string, string],
  ): Promise<Checked> => {
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
    if (!origins.has(original.origin)) {
      locals.refusedOrigin = loggableOrigin(original.origin);
      return refusalOf('origin_not_listed');
    }
    if (rule.hasPages && !config.isDevelopment && !isSecure(original.origin)) return refusalOf('origin_not_secure');
    locals.service = original.origin;
    const { rawHeaders } = req;
    const presented = presentedTypes(rawHeaders);
    locals.caller = presentedKind(presented);

    if (rule.hasPages) {
      const page = await checkPage(req, res, rule, original, presented.length > 0);
      if (page !== 'by_credential') return page;
    }
    if (rule.allowsPreflight && isPreflight(original, req, locals.caller)) {
      locals.outcome = 'preflight';
      setNobody(res);
      return undefined;
    }
    const { method, origin, target } = original;
    const authority = origin.slice(origin.indexOf('//') + 2);
    const asked = { method, authority, target, rawHeaders, presented, body: undefined };
    const resolution = await resolveCaller(deps, asked, locals.budget, rule.callers);
    if (resolution.kind === 'refused') {
      const refusal = unauthorized(resolution, deps);
      return rule.hasPages && presented.length === 0 ? withChallenge(refusal, gateChallenge(deps, original)) : refusal;
    }
    if (resolution.limit !== undefined) setKeyLimit(res, resolution.limit);
    if (resolution.kind === 'rate_limited') {
      return refusalOf('rate_limited', undefined, [['Retry-After', String(resolution.limit.resetSeconds)]]);
    }
    const { caller } = resolution;
    if (rule.isLive && caller.callerType === 'user' && !(await isLive(caller, res))) return sessionEnded();
    return admit(res, rule, original, resolution);
  };

  /** Interface 23: the session is live, and its user has the role of the token. */
  const isLive = async ({ sub, sid, role }: UserCaller, { locals }: Response): Promise<boolean> => {
    if (sid === undefined) return false;
    const live = await readLiveSession(deps.db.within(locals.budget), { sub, sid }, deps.clock.now());
    return live?.role === role;
  };

  /**
   * Interface 22: what a browser asks for by itself.
   * @returns `by_credential` if the request has one, or neither that nor a cookie and is not for a page
   */
  const checkPage = async (
    req: Request,
    res: Response,
    rule: Rule,
    original: OriginalRequest,
    hasCredential: boolean,
  ): Promise<Checked | 'by_credential'> => {
    const within = { ...deps, db: deps.db.within(res.locals.budget) };
    if (isOwnPath(original)) {
      const answered = await answerOwnPath(within, req, res, original, hasCredential);
      if (typeof answered !== 'string') return answered;
      const refusal = refusalOf(answered);
      return refusal.status === 401
        ? { ...refusal, fields: [['WWW-Authenticate', gateChallenge(deps, original)]] }
        : refusal;
    }
    if (hasCredential) return 'by_credential';
    const found = await resolveCookie(within, req, original);
    if (found.kind === 'refused') return refusalOf('cross_site');
    if (found.kind === 'nobody') return isNavigation(original, req) ? toGate(deps, req, original) : 'by_credential';
    res.locals.caller = 'user';
    const refusal = admit(res, rule, original, found);
    if (refusal?.reason !== 'confirmation_required' || !isNavigation(original, req)) return refusal;
    return toGate(deps, req, original, rule.proof);
  };

  /** Applies the rule to a known caller. */
  const admit = (
    res: Response,
    rule: Rule,
    original: OriginalRequest,
    resolution: KnownCaller,
  ): AuthzRefusal | undefined => {
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
    if (rule.hasPages) setServiceCookies(res, original);
    res.locals.outcome = 'success';
    return undefined;
  };

  const answer = async (req: Request, res: Response, family: ProxyFamily, path: [string, string]): Promise<void> => {
    res.locals.route = routeOfFamily(family.name);
    let checked: Checked;
    try {
      checked = await check(req, res, family, path);
    } catch (error) {
      if (!isOutage(error)) throw error;
      reportOutage(deps, res.locals.ids, error);
      checked = refusalOf('unavailable', undefined, [['Retry-After', String(RETRY_AFTER_SECONDS)]]);
    }
    if (checked === undefined) return void res.status(200).set(traceparentOf(res.locals.span)).end();
    if ('location' in checked) return redirect(res, family, checked);
    refuse(res, family, checked);
  };

  app.use((req, res, next) => {
    const [, name = '', ruleText = '', rest = ''] = PATH.exec(req.originalUrl) ?? [];
    return isFamily(name) ? answer(req, res, FAMILIES[name], [ruleText, rest]) : next();
  });
}

/** @param challenge for a script, which learns where to lead the person */
function withChallenge({ fields = [], ...refusal }: AuthzRefusal, challenge: string): AuthzRefusal {
  const challenges = fields.map(([name, value]): [string, string] => {
    return name === 'www-authenticate' ? [name, `${value}, ${challenge}`] : [name, value];
  });
  return { ...refusal, fields: challenges };
}

function sessionEnded(): AuthzRefusal {
  const refusal = refusalOf('session_ended');
  return {
    ...refusal,
    fields: [
      ['WWW-Authenticate', challengeWith('Bearer', { error: 'invalid_token', error_description: refusal.detail })],
    ],
  };
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
function unauthorized(refusal: Extract<Resolution, { kind: 'refused' }>, deps: Deps<'clock'>): AuthzRefusal {
  const { reason, detail, fields } = refusal;
  return { reason, status: 401, detail, fields, more: signingHints(refusal, deps) };
}

function refuse(res: Response, family: ProxyFamily, { reason, status, detail, fields = [], more }: AuthzRefusal): void {
  res.locals.outcome = reason;
  for (const [name, value] of fields) res.set(name, value);
  if (!family.passesOn(status)) res.set('X-Auth-Status', String(status));
  sendJson(res.status(family.passesOn(status) ? status : 403), { detail, reason, ...more });
}

function redirect(res: Response, family: ProxyFamily, { outcome, location, setCookie }: Redirect): void {
  res.locals.outcome = outcome;
  if (setCookie !== undefined) res.set('Set-Cookie', setCookie);
  if (family.passesOnRedirects) return void res.status(302).set('Location', location).end();
  res.status(401).set('X-Auth-Redirect', location).end();
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
