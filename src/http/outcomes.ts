/** The outcomes of a request, for the log and the counters. (Interface 14) */
import { FACTOR_OUTCOMES } from '../auth/factors/login.js';
import { DEVICE_OUTCOMES } from '../auth/known-devices.js';
import type { EmailRefusal, FactorRefusal } from '../auth/outcomes.js';
import type { PresentedKind } from '../callers/kinds.js';
import { FACTORS } from '../domain/factors.js';
import type { Metrics } from '../metrics.js';
import { FAMILIES, routeOfFamily } from './authz/original-request.js';
import { AUTHZ_ERRORS, type AuthzReason, type RestReason } from './refusals.js';

/** Outcomes of every route. */
const OF_EVERY_ROUTE = [
  'cross_site',
  'malformed_request',
  'request_timeout',
  'body_too_large',
  'unavailable',
  'internal_error',
  'client_closed',
] as const;

/** Of a route that reads a body with a password. */
const WITH_PASSWORD = [
  ...OF_EVERY_ROUTE,
  'login_rate_limited',
  'body_not_json',
  'unsupported_media_type',
  'body_invalid',
] as const;

/** By route. An outcome that is missing here does not compile. */
export const OF_ROUTES = {
  '/auth/login': ['success', 'second_factor_required', 'invalid_credentials', 'account_locked', ...WITH_PASSWORD],
  '/auth/refresh': [
    'success',
    'retried',
    'no_refresh_token',
    'ambiguous_cookie',
    'invalid_refresh_token',
    'wrong_token_type',
    'claim_missing',
    'jti_not_uuid',
    'record_unknown',
    'record_revoked',
    'record_expired',
    'rate_limited',
    ...OF_EVERY_ROUTE,
  ],
  '/auth/logout': ['success', 'without_session', 'rate_limited', ...OF_EVERY_ROUTE],
  '/auth/password': [
    'success',
    'missing_credentials',
    'unsupported_scheme',
    'invalid_request',
    'invalid_token',
    'current_password_wrong',
    'account_locked',
    ...WITH_PASSWORD,
  ],
  '/auth/password/redeem': ['success', 'link_invalid', ...WITH_PASSWORD],
  '/auth/password/forgot': ['success', ...WITH_PASSWORD],
} as const satisfies Record<
  string,
  readonly (RestReason | 'success' | 'retried' | 'without_session' | 'client_closed')[]
>;

/** By the kind of credential that was presented to `/graphql`. */
const OF_CALLERS = {
  user: ['success', 'unsupported_scheme', 'invalid_request', 'invalid_token', 'unavailable', 'internal_error'],
  api_key: [
    'success',
    'malformed_signature',
    'insufficient_coverage',
    'signature_expired',
    'content_digest_mismatch',
    'invalid_signature',
    'nonce_reused',
    'rate_limited',
    'unavailable',
    'internal_error',
  ],
  cron: ['success', 'invalid_key', 'unavailable', 'internal_error'],
  none: ['missing_credentials'],
  several: ['multiple_credentials'],
} as const satisfies Record<PresentedKind, readonly string[]>;

/** Interface 22: where a browser is led. A way back without a valid state cookie is `gate_state_missing`. */
const GATE_OUTCOMES = ['gate_redirected', 'gate_entered', 'gate_left', 'gate_state_missing'] as const;

/** Interface 18: of a question of a proxy. */
const OF_AUTHZ: ReadonlySet<AuthzOutcome> = new Set([
  ...(['success', 'preflight', ...GATE_OUTCOMES, 'internal_error', 'client_closed'] as const),
  ...(Object.keys(AUTHZ_ERRORS) as Array<keyof typeof AUTHZ_ERRORS>),
  ...Object.values(OF_CALLERS).flat(),
]);

/** Interface 23: of a question about a token. */
const OF_INTROSPECTION: ReadonlySet<RequestOutcome> = new Set([
  ...(['active', 'inactive', 'caller_not_allowed', 'scope_missing', 'malformed_request'] as const),
  ...(['unsupported_media_type', 'body_too_large', 'request_timeout', 'client_closed'] as const),
  ...Object.values(OF_CALLERS)
    .flat()
    .filter((outcome) => outcome !== 'success'),
]);

type AuthzOutcome = AuthzReason | CallerOutcome | 'preflight' | (typeof GATE_OUTCOMES)[number] | 'client_closed';
type CountedRoute = keyof typeof OF_ROUTES;
export type CallerOutcome = (typeof OF_CALLERS)[PresentedKind][number];

/** Reasons of answers that no counter of a route counts; `auth_gateway_factors_total` counts factors. */
type Uncounted =
  | FactorRefusal
  | EmailRefusal
  | 'last_administrator'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'too_many_requests'
  | 'too_many_streams'
  | 'header_too_large';
export type RequestOutcome =
  | (typeof OF_ROUTES)[CountedRoute][number]
  | AuthzOutcome
  | 'active'
  | 'inactive'
  | Uncounted;

/** nginx's status for a client that disconnected before its answer. */
export const CLIENT_CLOSED = 499;

/** Whether the counter of the route has the outcome: it has none for a 405. */
function isCounted(route: string | undefined, outcome: RequestOutcome): route is CountedRoute {
  const routes: Readonly<Record<string, readonly RequestOutcome[]>> = OF_ROUTES;
  return routes[route ?? '']?.includes(outcome) ?? false;
}

export interface CountedRequest {
  route: string | undefined;
  /** Of a request to `/graphql`, or of one that a proxy asks about */
  caller: PresentedKind | undefined;
  outcome: RequestOutcome | undefined;
}

/**
 * @param hasProxies whether proxies may ask (Interface 18)
 * @param hasMail whether people may ask for a link (Interface 15)
 * @returns a function that counts a request; each known outcome exists from 0
 */
export function createOutcomeCounters(metrics: Metrics, hasProxies: boolean, hasMail: boolean) {
  const { authzChecks, callerChecks } = metrics;
  const ofRoutes = {
    '/auth/login': metrics.logins,
    '/auth/refresh': metrics.refreshes,
    '/auth/logout': metrics.logouts,
    '/auth/password': metrics.passwordChanges,
    '/auth/password/redeem': metrics.linkRedemptions,
    '/auth/password/forgot': metrics.resetRequests,
  };
  for (const [route, counter] of Object.entries(ofRoutes)) {
    if (route === '/auth/password/forgot' && !hasMail) continue;
    for (const outcome of OF_ROUTES[route as CountedRoute]) counter.inc({ outcome }, 0);
  }
  for (const [caller, outcomes] of Object.entries(OF_CALLERS)) {
    for (const outcome of outcomes) callerChecks.inc({ caller, outcome }, 0);
  }
  const authzRoutes = new Map(FAMILIES.map((route) => [routeOfFamily(route), route]));
  for (const route of hasProxies ? FAMILIES : []) {
    for (const outcome of OF_AUTHZ) authzChecks.inc({ route, outcome }, 0);
  }
  for (const outcome of OF_INTROSPECTION) metrics.introspections.inc({ outcome }, 0);
  for (const kind of FACTORS) {
    for (const outcome of FACTOR_OUTCOMES) metrics.factors.inc({ kind, outcome }, 0);
  }
  for (const outcome of DEVICE_OUTCOMES) metrics.loginDevices.inc({ outcome }, 0);
  return ({ route, caller, outcome }: CountedRequest): void => {
    if (outcome === undefined) return;
    const authzRoute = authzRoutes.get(route ?? '');
    if (authzRoute !== undefined) authzChecks.inc({ route: authzRoute, outcome });
    else if (route === '/oauth/introspect' && OF_INTROSPECTION.has(outcome)) metrics.introspections.inc({ outcome });
    else if (caller !== undefined && route === '/graphql') callerChecks.inc({ caller, outcome });
    else if (isCounted(route, outcome)) ofRoutes[route].inc({ outcome });
  };
}
