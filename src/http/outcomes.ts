/** Interface 14: the outcomes of a request, for the log and the counters. */
import type { PresentedKind } from '../callers/kinds.js';
import type { Metrics } from '../platform/metrics.js';

/** Outcomes of every route. The last four follow from the status. */
const OF_EVERY_ROUTE = [
  'cross_site',
  'rate_limited',
  'invalid_request',
  'unavailable',
  'error',
  'client_closed',
] as const;

/** By route. An outcome that is missing here does not compile. */
export const OF_ROUTES = {
  '/auth/login': ['success', 'invalid_credentials', 'account_locked', ...OF_EVERY_ROUTE],
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
    ...OF_EVERY_ROUTE,
  ],
  '/auth/logout': ['success', 'without_session', ...OF_EVERY_ROUTE],
  '/auth/password': [
    'success',
    'missing_credentials',
    'unsupported_scheme',
    'invalid_token',
    'current_password_wrong',
    'account_locked',
    ...OF_EVERY_ROUTE,
  ],
  '/auth/password/redeem': ['success', 'link_invalid', ...OF_EVERY_ROUTE],
} as const;

/** By the kind of credential that was presented to `/graphql`. */
const OF_CALLERS = {
  user: ['success', 'unsupported_scheme', 'invalid_request', 'invalid_token', 'unavailable', 'error'],
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
    'error',
  ],
  cron: ['success', 'invalid_key', 'unavailable', 'error'],
  none: ['missing_credentials'],
  several: ['multiple_credentials'],
} as const satisfies Record<PresentedKind, readonly string[]>;

type CountedRoute = keyof typeof OF_ROUTES;
type RouteOutcome = (typeof OF_ROUTES)[CountedRoute][number];
export type CallerOutcome = (typeof OF_CALLERS)[PresentedKind][number];

/** `unparsed`: refused by Node's parser. */
export type RequestOutcome = RouteOutcome | CallerOutcome | 'unparsed';

/** nginx's status for a client that disconnected before its answer. */
export const CLIENT_CLOSED = 499;

function isCounted(route: string | undefined): route is CountedRoute {
  return route !== undefined && route in OF_ROUTES;
}

/** The outcome of a request to one of these routes, by its status, if nothing else was decided. */
export function outcomeByStatus(method: string, route: string | undefined, status: number): RouteOutcome | undefined {
  if (method !== 'POST' || !isCounted(route)) return undefined;
  if (status === CLIENT_CLOSED) return 'client_closed';
  if (status === 503) return 'unavailable';
  return status < 500 ? 'invalid_request' : 'error';
}

export interface CountedRequest {
  route: string | undefined;
  /** Of a request to `/graphql` */
  caller: PresentedKind | undefined;
  outcome: RequestOutcome | undefined;
}

/** @returns a function that counts a request; each known outcome exists from 0 */
export function createOutcomeCounters(metrics: Metrics) {
  const { callerChecks } = metrics;
  const ofRoutes = {
    '/auth/login': metrics.logins,
    '/auth/refresh': metrics.refreshes,
    '/auth/logout': metrics.logouts,
    '/auth/password': metrics.passwordChanges,
    '/auth/password/redeem': metrics.linkRedemptions,
  };
  for (const [route, counter] of Object.entries(ofRoutes)) {
    for (const outcome of OF_ROUTES[route as CountedRoute]) counter.inc({ outcome }, 0);
  }
  for (const [caller, outcomes] of Object.entries(OF_CALLERS)) {
    for (const outcome of outcomes) callerChecks.inc({ caller, outcome }, 0);
  }
  return ({ route, caller, outcome }: CountedRequest): void => {
    if (outcome === undefined) return;
    if (caller !== undefined) callerChecks.inc({ caller, outcome });
    else if (isCounted(route)) ofRoutes[route].inc({ outcome });
  };
}
