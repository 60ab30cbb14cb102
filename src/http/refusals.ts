/** Every error of REST by its `reason`, which is also its outcome in the log: Spec 7, then Interface 5 and 15. */
import type { FurtherRefusal, PasswordRefusal, Refusal } from '../auth/outcomes.js';
import type { CallerRefusal } from '../callers/caller.js';
import { MISSING_TOKEN } from '../callers/resolve-user.js';
import type { RuleRefusal, RuleViolation } from '../callers/rule.js';
import { BEARER_DETAILS, type BearerRefusal } from '../callers/user.js';
import type { ErrorReason } from '../domain/error-reasons.js';
import { OUTAGE_DETAIL } from '../platform/outage.js';

/**
 * The challenge of a 401 (RFC 9110 section 15.5.2), with the scheme of draft-broyer-http-cookie-auth: log in, and a
 * cookie will hold the credential.
 */
export const CHALLENGE = 'Cookie realm="auth-gateway", form-action="/auth/login", cookie-name="refresh_token"';

interface ErrorRow {
  status: number;
  detail: string;
  cookie?: 'unchanged' | 'cleared' | 'cleared_everywhere';
}

/** Spec 7: the table of errors. A refusal without its row does not compile. */
export const REFUSALS = {
  invalid_credentials: { status: 401, detail: 'Invalid credentials', cookie: 'unchanged' },
  account_locked: {
    status: 429,
    detail: 'Account temporarily locked due to too many failed attempts',
    cookie: 'unchanged',
  },
  no_refresh_token: { status: 401, detail: 'No refresh token provided', cookie: 'unchanged' },
  invalid_refresh_token: { status: 401, detail: 'Invalid or expired refresh token', cookie: 'cleared' },
  wrong_token_type: { status: 401, detail: 'Invalid token type', cookie: 'cleared' },
  claim_missing: { status: 401, detail: 'Malformed token', cookie: 'cleared' },
  jti_not_uuid: { status: 401, detail: 'Invalid token format', cookie: 'unchanged' },
  record_unknown: { status: 401, detail: 'Token not recognised', cookie: 'cleared' },
  record_revoked: { status: 401, detail: 'Session invalidated — please log in again', cookie: 'cleared' },
  record_expired: { status: 401, detail: 'Refresh token expired', cookie: 'cleared' },
} as const satisfies Record<Refusal, Required<ErrorRow>>;

/** Interface 5 and 15. `when` is printed into docs/interface.md. */
export const FURTHER_ERRORS = {
  malformed_request: {
    status: 400,
    detail: 'Request is not valid HTTP',
    when: 'the request cannot be parsed, has not exactly one `Host`, or has a `#` in its target, on any path and port; `detail` says which',
  },
  body_not_json: {
    status: 400,
    detail: 'Request body is not valid JSON',
    when: 'the body is not JSON in UTF-8',
  },
  ambiguous_cookie: {
    status: 401,
    detail: REFUSALS.invalid_refresh_token.detail,
    cookie: 'cleared_everywhere',
    when: 'a refresh with several `refresh_token` cookies that differ, unless exactly one is a token of this gateway',
  },
  missing_credentials: {
    status: 401,
    detail: MISSING_TOKEN.detail,
    when: '`POST /auth/password` without `Authorization`; this and the next three have `WWW-Authenticate: Bearer`',
  },
  unsupported_scheme: {
    status: 401,
    detail: BEARER_DETAILS.unsupported_scheme,
    when: '`POST /auth/password`: another scheme than Bearer',
  },
  invalid_request: {
    status: 401,
    detail: BEARER_DETAILS.invalid_request,
    when: '`POST /auth/password`: a malformed field, or several',
  },
  invalid_token: {
    status: 401,
    detail: BEARER_DETAILS.invalid_token,
    when: '`POST /auth/password`: no valid access token of an active user',
  },
  link_invalid: {
    status: 401,
    detail: 'Link is not valid',
    when: '`POST /auth/password/check` and `/redeem`: an unknown, used, replaced or expired link, or a deactivated or deleted user; one cost for all',
  },
  cross_site: {
    status: 403,
    detail: 'Calls from this origin are not allowed',
    when: 'a browser calls a route below `/auth` from another site (by `Origin` or `Sec-Fetch-Site`) that is not in `CORS_ORIGINS`; in development `detail` says what to set',
  },
  current_password_wrong: {
    status: 403,
    detail: 'Current password is wrong',
    when: '`POST /auth/password`: counted as a failed login of the account; never 401, so that no client refreshes and repeats it',
  },
  not_found: { status: 404, detail: 'Not found', when: 'unknown path' },
  method_not_allowed: { status: 405, detail: 'Method not allowed', when: '`Allow` lists the methods of the path' },
  not_acceptable: {
    status: 406,
    detail: 'Accept must allow application/json or application/graphql-response+json',
    when: 'only `/graphql`: `Accept` allows no JSON',
  },
  request_timeout: {
    status: 408,
    detail: 'The request took too long to arrive',
    when: 'its header is not complete within 15 s, or its body within 30 s',
  },
  body_too_large: { status: 413, detail: 'Request body is too large', when: 'more than 16 KiB (`/graphql`: 64 KiB)' },
  unsupported_media_type: {
    status: 415,
    detail: 'Content-Type must be application/json, unencoded, in UTF-8',
    when: 'another type, a compressed body, another charset',
  },
  body_invalid: {
    status: 422,
    detail: 'Request body is invalid',
    when: 'a body that breaks [Spec 2.1](specification.md#2.1) or [Interface 15](#15); `errors` is a list of `{field, message}`, with a `reason` if a rule for passwords is broken',
  },
  login_rate_limited: {
    status: 429,
    detail: 'Too many login attempts, try again later',
    when: 'the login limit of the address, with `Retry-After`',
  },
  rate_limited: {
    status: 429,
    detail: 'Too many requests, try again later',
    when: '`REFRESH_RATE_LIMIT` or `SESSION_RATE_LIMIT`, with `Retry-After`; the cookie is unchanged, no store is asked, nothing ends',
  },
  too_many_requests: {
    status: 429,
    detail: 'Too many requests at once on one connection',
    when: 'the seventeenth pipelined request that waits on one connection',
  },
  header_too_large: {
    status: 431,
    detail: 'Request header fields are too large',
    when: 'the header has more than 16 KiB',
  },
  internal_error: { status: 500, detail: 'Internal server error', when: 'a bug in the gateway' },
  unavailable: {
    status: 503,
    detail: OUTAGE_DETAIL,
    when: 'with `Retry-After`: a store is down, the clock is wrong, or too many passwords wait',
  },
} as const satisfies Record<
  FurtherRefusal | PasswordRefusal | BearerRefusal | 'missing_credentials',
  ErrorRow & { when: string }
> &
  Partial<Record<ErrorReason, ErrorRow & { when: string }>>;

/** Interface 18: forward authentication. The reasons of a 401 are those of Interface 6. `when` is printed too. */
export const AUTHZ_ERRORS = {
  rule_invalid: {
    status: 400,
    detail: 'The rule is not valid',
    when: 'the rule has something unknown, empty, repeated or behind it; `detail` says what',
  },
  proxy_not_listed: {
    status: 403,
    detail: 'This peer may not ask',
    when: 'the peer is not in `FORWARD_AUTH_PROXIES`',
  },
  identity_field: {
    status: 403,
    detail: 'A request must not have fields that begin with X-Auth-',
    when: 'a field of the request begins with `X-Auth-`, also if another character such as `_` stands in the place of `-`',
  },
  original_request_invalid: {
    status: 403,
    detail: 'The original request is not described as it should be',
    when: 'a field that describes the original request is missing, repeated or malformed, or its target has `#`, `\\` or control characters',
  },
  origin_not_listed: {
    status: 403,
    detail: 'This origin is not served',
    when: 'scheme and authority of the original request are not exactly one of `FORWARD_AUTH_ORIGINS`',
  },
  caller_not_allowed: {
    status: 403,
    detail: 'This kind of caller is not allowed',
    when: 'the rule has not that `caller`',
  },
  role_missing: { status: 403, detail: 'This role is not allowed', when: 'a user without a `role` of the rule' },
  scope_missing: { status: 403, detail: 'A scope is missing', when: 'a caller without each `scope` of the rule' },
  rate_limited: {
    status: 429,
    detail: 'Too many requests for this key, try again later',
    when: 'the limit of the key, with `Retry-After`',
  },
  unavailable: {
    status: 503,
    detail: OUTAGE_DETAIL,
    when: 'a store is down or the clock is wrong, with `Retry-After`',
  },
} as const satisfies Record<RuleRefusal | RuleViolation, ErrorRow & { when: string }> &
  Partial<Record<ErrorReason, ErrorRow & { when: string }>>;

export type AuthzReason = keyof typeof AUTHZ_ERRORS | CallerRefusal;

export const ERRORS = { ...REFUSALS, ...FURTHER_ERRORS };
export type Reason = keyof typeof ERRORS;

/** A row in its general form, whose cookie may be unchanged by being absent. */
export function rowOf(reason: Reason): Readonly<ErrorRow> {
  return ERRORS[reason];
}
