/** Every error of REST by its `reason`, which is also its outcome in the log: Spec 7, then Interface 5 and 15. */
import type { EmailRefusal, FactorRefusal, FurtherRefusal, PasswordRefusal } from '../auth/outcomes.js';
import type { CallerRefusal } from '../callers/caller.js';
import { MISSING_TOKEN } from '../callers/resolve-user.js';
import type { RuleRefusal, RuleViolation } from '../callers/rule.js';
import { BEARER_DETAILS, type BearerRefusal } from '../callers/user.js';
import type { ErrorReason, SpecReason } from '../domain/error-reasons.js';
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

/** Spec 7: the table of errors. A reason without its row does not compile. */
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
} as const satisfies Record<SpecReason, Required<ErrorRow>>;

/** Interface 5, 15, 20 and 21. */
export const FURTHER_ERRORS = {
  malformed_request: {
    status: 400,
    detail: 'Request is not valid HTTP',
  },
  body_not_json: {
    status: 400,
    detail: 'Request body is not valid JSON',
  },
  ambiguous_cookie: {
    status: 401,
    detail: REFUSALS.invalid_refresh_token.detail,
    cookie: 'cleared_everywhere',
  },
  missing_credentials: {
    status: 401,
    detail: MISSING_TOKEN.detail,
  },
  unsupported_scheme: {
    status: 401,
    detail: BEARER_DETAILS.unsupported_scheme,
  },
  invalid_request: {
    status: 401,
    detail: BEARER_DETAILS.invalid_request,
  },
  invalid_token: {
    status: 401,
    detail: BEARER_DETAILS.invalid_token,
  },
  session_ended: { status: 401, detail: 'The session has ended, or the role has changed; log in again' },
  link_invalid: {
    status: 401,
    detail: 'Link is not valid',
  },
  second_factor_required: { status: 401, detail: 'Second factor required' },
  challenge_invalid: { status: 401, detail: 'Challenge is not valid' },
  confirmation_required: { status: 401, detail: 'Confirm who you are' },
  cross_site: {
    status: 403,
    detail: 'Calls from this origin are not allowed',
  },
  scope_missing: { status: 403, detail: 'A scope is missing' },
  current_password_wrong: {
    status: 403,
    detail: 'Current password is wrong',
  },
  factor_wrong: { status: 403, detail: 'Password, code or passkey is wrong' },
  not_found: { status: 404, detail: 'Not found' },
  method_not_allowed: { status: 405, detail: 'Method not allowed' },
  factor_unknown: { status: 404, detail: 'There is no such factor' },
  not_acceptable: {
    status: 406,
    detail: 'Accept must allow application/json or application/graphql-response+json',
  },
  request_timeout: {
    status: 408,
    detail: 'The request took too long to arrive',
  },
  email_taken: { status: 409, detail: 'A user with this e-mail already exists' },
  last_administrator: { status: 409, detail: 'The last administrator cannot be deleted' },
  totp_exists: { status: 409, detail: 'There is an authenticator app already' },
  passkey_exists: { status: 409, detail: 'This passkey has been added before' },
  too_many_passkeys: { status: 409, detail: 'There are 10 passkeys, which is the most' },
  body_too_large: { status: 413, detail: 'Request body is too large' },
  unsupported_media_type: {
    status: 415,
    detail: 'Content-Type must be application/json, unencoded, in UTF-8',
  },
  body_invalid: {
    status: 422,
    detail: 'Request body is invalid',
  },
  login_rate_limited: {
    status: 429,
    detail: 'Too many login attempts, try again later',
  },
  rate_limited: {
    status: 429,
    detail: 'Too many requests, try again later',
  },
  too_many_streams: { status: 429, detail: 'Too many exports at once, try again later' },
  too_many_requests: {
    status: 429,
    detail: 'Too many requests at once on one connection',
  },
  header_too_large: {
    status: 431,
    detail: 'Request header fields are too large',
  },
  internal_error: { status: 500, detail: 'Internal server error' },
  unavailable: {
    status: 503,
    detail: OUTAGE_DETAIL,
  },
} as const satisfies Record<
  FurtherRefusal | PasswordRefusal | FactorRefusal | EmailRefusal | BearerRefusal | 'missing_credentials',
  ErrorRow
> &
  Partial<Record<ErrorReason, ErrorRow>>;

/** Interface 18: forward authentication. The reasons of a 401 are those of Interface 6. */
export const AUTHZ_ERRORS = {
  rule_invalid: {
    status: 400,
    detail: 'The rule is not valid',
  },
  proxy_not_listed: {
    status: 403,
    detail: 'This proxy is not allowed to ask',
  },
  identity_field: {
    status: 403,
    detail: 'A request must not have fields that begin with X-Auth-',
  },
  original_request_invalid: {
    status: 403,
    detail: 'The description of the original request is missing or malformed',
  },
  origin_not_secure: {
    status: 403,
    detail: 'Pages behind the gate need an https origin',
  },
  session_ended: FURTHER_ERRORS.session_ended,
  missing_credentials: { status: 401, detail: 'Log in' },
  cross_site: FURTHER_ERRORS.cross_site,
  gate_code_invalid: { status: 403, detail: 'The way back is not valid' },
  method_not_allowed: FURTHER_ERRORS.method_not_allowed,
  not_found: FURTHER_ERRORS.not_found,
  origin_not_listed: {
    status: 403,
    detail: 'This origin is not served',
  },
  caller_not_allowed: {
    status: 403,
    detail: 'This kind of caller is not allowed',
  },
  confirmation_required: FURTHER_ERRORS.confirmation_required,
  role_missing: { status: 403, detail: 'This role is not allowed' },
  scope_missing: FURTHER_ERRORS.scope_missing,
  rate_limited: {
    status: 429,
    detail: 'Too many requests for this key, try again later',
  },
  unavailable: {
    status: 503,
    detail: OUTAGE_DETAIL,
  },
} as const satisfies Record<RuleRefusal | RuleViolation, ErrorRow> & Partial<Record<ErrorReason, ErrorRow>>;

export type AuthzReason = keyof typeof AUTHZ_ERRORS | CallerRefusal;

export const ERRORS = { ...REFUSALS, ...FURTHER_ERRORS };
export type RestReason = keyof typeof ERRORS;

/** A row in its general form, whose cookie may be unchanged by being absent. */
export function rowOf(reason: RestReason): Readonly<ErrorRow> {
  return ERRORS[reason];
}
