/**
 * Pages behind the gate: a browser without a credential is sent to `/gate`, comes back by a code, and gets a cookie of the
 * service's own origin. The paths below `/.auth-gateway/` are answered here and reach no service. (Interface 22)
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import { stateOf, takeGateCode } from '../../auth/gate-codes.js';
import { type LiveSession, readLiveSession } from '../../auth/live-sessions.js';
import { endSession } from '../../auth/revocations.js';
import type { UserCaller } from '../../callers/caller.js';
import type { WantedProof } from '../../callers/step-up.js';
import { fieldValues, onlyFieldValue } from '../../credentials/signatures/http-fields.js';
import { type GateClaims, readGateToken, signGateToken } from '../../credentials/tokens/gate-token.js';
import { assuranceOf } from '../../domain/assurance.js';
import { epochSeconds } from '../../platform/clock.js';
import { randomBase64url } from '../../platform/ids.js';
import type { Deps } from '../../services.js';
import { gateUrl } from '../gate-url.js';
import type { OriginalRequest } from './original-request.js';

type GateDeps = Deps<'clock' | 'config' | 'db' | 'keyring'>;

/** An answer that leads a browser elsewhere */
export interface Redirect {
  outcome: 'gate_redirected' | 'gate_entered' | 'gate_left' | 'gate_code_invalid' | 'gate_state_missing';
  location: string;
  /** One, since nginx passes on no more */
  setCookie?: string;
}

export type GateRefusal =
  | 'cross_site'
  | 'gate_code_invalid'
  | 'method_not_allowed'
  | 'not_found'
  | 'missing_credentials';

/** Who is calling by the cookie; `refused` if a request of another origin carries it. */
export type ByCookie = { kind: 'caller'; caller: UserCaller } | { kind: 'nobody' } | { kind: 'refused' };

const OWN_PATHS = '/.auth-gateway/';
const CALLBACK = `${OWN_PATHS}callback`;
const LOGOUT = `${OWN_PATHS}logout`;

const STATE_SECONDS = 600;
const STATE_BYTES = 32;
const STATE = /^[\w-]{43}$/;

/** RFC 9110 section 9.2.1, without TRACE */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Names with a prefix that browsers take from this very host alone, by https (RFC 6265bis section 4.1.3.2) */
function cookieNames(origin: string): { gate: string; state: string } {
  const prefix = isSecure(origin) ? '__Host-' : '';
  return { gate: `${prefix}auth-gate`, state: `${prefix}auth-gate-state` };
}

export function isSecure(origin: string): boolean {
  return origin.startsWith('https:');
}

function setCookie(origin: string, name: string, value: string, maxAge?: number): string {
  const attributes = { httpOnly: true, secure: isSecure(origin), sameSite: 'lax', path: '/' } as const;
  return stringifySetCookie({ name, value, ...attributes, ...(maxAge !== undefined && { maxAge }) });
}

/** The value of a cookie, as it was sent. @returns undefined without it, or if several differ: one of them was planted */
function onlyCookie({ rawHeaders }: Request, name: string): string | undefined {
  const pairs = fieldValues(rawHeaders, 'cookie').flatMap((field) => field.split(';'));
  const values = new Set(pairs.map((pair) => parseCookie(pair, { decode: (value) => value })[name]));
  values.delete(undefined);
  return values.size === 1 ? [...values][0] : undefined;
}

/**
 * The cookies of the service, for a proxy that cannot take ours out of the field itself. A field without cookies replaces the
 * client's too.
 */
export function setServiceCookies(res: Response, { origin }: OriginalRequest): void {
  const fields = fieldValues(res.req.rawHeaders, 'cookie');
  if (fields.length === 0) return;
  const ours = Object.values(cookieNames(origin));
  const pairs = fields.flatMap((field) => field.split(';')).map((pair) => pair.trim());
  const theirs = pairs.filter((pair) => pair !== '' && !ours.includes(pair.split('=', 1)[0]?.trim() ?? ''));
  res.set('Cookie', theirs.join('; '));
}

/** @returns undefined for what is no state, so that no code can be bound to it */
function readState(req: Request, name: string): string | undefined {
  const state = onlyCookie(req, name);
  return state !== undefined && STATE.test(state) ? state : undefined;
}

/**
 * True if a browser opens a page. A browser that sends no `Sec-Fetch-` fields (Fetch Metadata) is known by what it accepts
 * first. What is loaded ahead (`Sec-Purpose`) is no visit.
 */
export function isNavigation({ method }: OriginalRequest, { rawHeaders }: Request): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (fieldValues(rawHeaders, 'sec-purpose').length > 0) return false;
  const [mode, dest] = [fieldValues(rawHeaders, 'sec-fetch-mode'), fieldValues(rawHeaders, 'sec-fetch-dest')];
  if (mode.length > 0 || dest.length > 0) return mode.join() === 'navigate' && dest.join() === 'document';
  if (fieldValues(rawHeaders, 'sec-fetch-site').length > 0) return false;
  return /^\s*text\/html\s*(?:[,;]|$)/i.test(fieldValues(rawHeaders, 'accept')[0] ?? '');
}

/** @param wanted what the session has to prove first */
export function toGate(
  { config }: Deps<'config'>,
  req: Request,
  { origin, target }: OriginalRequest,
  wanted: WantedProof = {},
): Redirect {
  const { state: name } = cookieNames(origin);
  const state = readState(req, name) ?? randomBase64url(STATE_BYTES); // the same for two tabs, so that both arrive
  const location = gateUrl(config, { origin, target, state: stateOf(state), ...wanted });
  return { outcome: 'gate_redirected', location, setCookie: setCookie(origin, name, state, STATE_SECONDS) };
}

/**
 * The challenge to a script: to lead the person to this address, so that a cookie will hold the credential.
 * (draft-broyer-http-cookie-auth)
 */
export function gateChallenge({ config }: Deps<'config'>, { origin }: OriginalRequest): string {
  const location = gateUrl(config, { origin, target: '/' });
  return `Cookie realm="auth-gateway", form-action="${location}", cookie-name="${cookieNames(origin).gate}"`;
}

/**
 * The user of the cookie, read from the session. Call it if the request has no other credential.
 * @throws {ClockSkewed} if only the expiry is left to check and this clock is wrong
 */
export async function resolveCookie(
  { clock, config, db, keyring }: GateDeps,
  req: Request,
  original: OriginalRequest,
): Promise<ByCookie> {
  const claims = readCookie({ config, keyring }, req, original);
  if (claims === undefined) return { kind: 'nobody' };
  clock.requireSynced();
  const now = clock.now();
  if (claims.expiresAt <= epochSeconds(now)) return { kind: 'nobody' };
  if (!isOfOwnOrigin(original, req)) return { kind: 'refused' };
  const live = await readLiveSession(db, claims, now);
  return live === undefined ? { kind: 'nobody' } : { kind: 'caller', caller: callerOf(claims, live) };
}

function callerOf(
  { sub, sid, expiresAt }: GateClaims & { expiresAt: number },
  { role, amr, provedAt }: LiveSession,
): UserCaller {
  return { callerType: 'user', sub, sid, role, acr: assuranceOf(amr), authTime: epochSeconds(provedAt), expiresAt };
}

function readCookie({ config, keyring }: Deps<'config' | 'keyring'>, req: Request, { origin }: OriginalRequest) {
  const token = onlyCookie(req, cookieNames(origin).gate);
  return token === undefined ? undefined : readGateToken(keyring, config, token, origin);
}

/** Whether the service's own pages have sent it: what changes something or opens a websocket has to say so. */
function isOfOwnOrigin({ method, origin }: OriginalRequest, { rawHeaders }: Request): boolean {
  // Over HTTP/2 it has no key (RFC 8441 section 5).
  const isWebsocket = rawHeaders.some((name, i) => i % 2 === 0 && /^sec-websocket-/i.test(name));
  if (SAFE_METHODS.includes(method) && !isWebsocket) return true;
  const origins = fieldValues(rawHeaders, 'origin');
  if (origins.length > 0 || isWebsocket) return origins.length === 1 && origins[0] === origin;
  return ['same-origin', 'none'].includes(onlyFieldValue(rawHeaders, 'sec-fetch-site') ?? '');
}

export function isOwnPath({ target }: OriginalRequest): boolean {
  return target.startsWith(OWN_PATHS);
}

/** Answers a path of the gate's own. @param hasOther true if the request has another credential: the cookie is not read */
export async function answerOwnPath(
  deps: GateDeps,
  req: Request,
  res: Response,
  original: OriginalRequest,
  hasOther: boolean,
): Promise<Redirect | GateRefusal> {
  const [path = '', query = ''] = original.target.split(/\?(.*)/s, 2);
  if (path !== CALLBACK && path !== LOGOUT) return 'not_found';
  const allowed = path === CALLBACK ? 'GET' : 'POST';
  if (original.method !== allowed) {
    res.set('Allow', allowed);
    return 'method_not_allowed';
  }
  if (path === CALLBACK) return enter(deps, req, original, query);
  return hasOther ? 'missing_credentials' : leave(deps, req, res, original);
}

async function enter(
  deps: GateDeps,
  req: Request,
  original: OriginalRequest,
  query: string,
): Promise<Redirect | GateRefusal> {
  const { origin } = original;
  if (!isNavigation(original, req)) return 'gate_code_invalid';
  const names = cookieNames(origin);
  const state = readState(req, names.state);
  const code = new URLSearchParams(query).get('code') ?? '';
  const taken = state === undefined ? undefined : await takeGateCode(deps, code, { origin, state });
  if (taken === undefined) {
    const outcome = state === undefined ? 'gate_state_missing' : 'gate_code_invalid';
    // Never straight to another question: a browser that keeps no cookie would go round and round.
    return { outcome, location: gateUrl(deps.config, { origin, target: '/', problem: 'code' }) };
  }
  const token = signGateToken(deps.keyring, deps.config, taken, origin, deps.clock.now());
  return { outcome: 'gate_entered', location: origin + taken.target, setCookie: setCookie(origin, names.gate, token) };
}

async function leave(
  { clock, config, db, keyring }: GateDeps,
  req: Request,
  { locals }: Response,
  original: OriginalRequest,
): Promise<Redirect | GateRefusal> {
  const { origin } = original;
  if (onlyFieldValue(req.rawHeaders, 'origin') !== origin) return 'cross_site';
  const claims = readCookie({ config, keyring }, req, original);
  if (claims === undefined) return 'missing_credentials';
  const { ipAddress } = locals.origin;
  const event = { eventType: 'logout', userId: claims.sub, ipAddress, userAgent: null, metadata: null } as const;
  await endSession(db, claims.sid, event, clock.now());
  return {
    outcome: 'gate_left',
    location: `${origin}/`,
    setCookie: setCookie(origin, cookieNames(origin).gate, '', 0),
  };
}
