/**
 * Every `reason` of an error over REST, GraphQL and forward authentication, with its meaning and what a client does.
 * One word says one thing, and one thing has one word. `http/refusals.ts` and `graphql/reasons.ts` have the answers and
 * take no other reason. docs/errors.md prints all three. (Interface 5)
 */
interface About {
  means: string;
  /** For the author of a client: what it does when it gets this reason */
  action: string;
}

const LOG_IN = 'Log in again.';
const WAIT = 'Wait for `Retry-After`, then repeat.';
const FIX = 'Fix the request.';
const FIX_INPUT = 'Fix the input in `argument`.';
const FIX_SIGNATURE = 'Fix how the request is signed.';
const NEW_PASSWORD = 'Ask for another password.';
const LOOK_AGAIN = 'Read the list again.';
const NOT_ALLOWED = 'Do not repeat: the caller may not. Ask the operators if it should.';
const FIX_PROXY = 'Fix the configuration of the proxy.';

/** Login and refresh: the rows of Spec 7 that have a `detail`. */
const OF_SPEC_7 = {
  invalid_credentials: {
    means: 'The e-mail is unknown or inactive, or the password is wrong.',
    action: 'Ask for e-mail and password again.',
  },
  account_locked: {
    means: 'Too many wrong passwords for this account. The password was not checked.',
    action: 'Wait for `Retry-After`, or set a new password through a reset link.',
  },
  no_refresh_token: { means: 'The request has no cookie `refresh_token`.', action: LOG_IN },
  invalid_refresh_token: { means: 'The signature or issuer of the token is wrong, or it has expired.', action: LOG_IN },
  wrong_token_type: { means: 'The token in the cookie is no refresh token.', action: LOG_IN },
  claim_missing: { means: 'The token has no `jti` or no `sub`.', action: LOG_IN },
  jti_not_uuid: { means: 'The `jti` of the token is not a UUID.', action: LOG_IN },
  record_unknown: { means: 'The gateway has no record of the token.', action: LOG_IN },
  record_revoked: {
    means: 'The token was used before, or its session has ended. Every token of the session is revoked.',
    action: LOG_IN,
  },
  record_expired: { means: 'The record of the token has expired.', action: LOG_IN },
} as const satisfies Record<string, About>;

export const ERROR_REASONS = {
  ...OF_SPEC_7,
  ambiguous_cookie: {
    means: 'Several cookies `refresh_token` differ, and not exactly one is a token of this gateway.',
    action: LOG_IN,
  },

  // Limits of login and refresh
  login_rate_limited: { means: 'The limit of the address for logins is reached.', action: WAIT },
  rate_limited: {
    means:
      'REST: `REFRESH_RATE_LIMIT` or `SESSION_RATE_LIMIT`; the session goes on. Otherwise the limit of the key, or of test mails.',
    action: WAIT,
  },

  // Passwords: Interface 15
  current_password_wrong: {
    means: 'The current password is wrong. It counts as a failed login of the account.',
    action: 'Ask for the current password again. A refresh does not help.',
  },
  link_invalid: {
    means: 'The link is unknown, used, replaced or expired, or its user is deactivated or deleted.',
    action: 'Ask for a new link.',
  },
  too_short: { means: 'The password has fewer than 15 characters, counted as code points.', action: NEW_PASSWORD },
  too_long: { means: 'The password has more than 1,024 bytes in UTF-8.', action: NEW_PASSWORD },
  current: { means: 'The password is the current one.', action: NEW_PASSWORD },
  context: {
    means:
      'The password is the e-mail, a part of it or the host of `PUBLIC_URL` with fewer than 8 other characters around it.',
    action: NEW_PASSWORD,
  },
  common: { means: 'The password is in the list of common passwords.', action: NEW_PASSWORD },
  breached: { means: 'The password is in the files of `BREACHED_PASSWORDS`.', action: NEW_PASSWORD },

  // Second factors: Interface 20
  second_factor_required: {
    means:
      'The password is right, and the user has a second factor: `challenge` and `factors` say how to go on. With a token: only a factor will do (403 at a confirmation), or the role needs one.',
    action: 'Ask for a code, a passkey or a recovery code; without a factor, lead the user to add one.',
  },
  challenge_invalid: {
    means: 'The challenge, the ceremony or the new factor is unknown, used or expired. It counts for nobody.',
    action: 'Begin again: at a login with the password, otherwise with new options.',
  },
  factor_wrong: {
    means: 'The password, code or passkey is wrong. At a confirmation it counts as a failed login of the account.',
    action: 'Ask again. A refresh does not help.',
  },
  confirmation_required: {
    means: 'The latest proof of this session is too old, or was not by the second factor that the user has.',
    action: 'Ask for `POST /auth/confirm`, then repeat. A refresh does not help.',
  },
  totp_exists: { means: 'The user has an authenticator app.', action: 'Remove it first.' },
  passkey_exists: { means: 'This passkey has been added before.', action: 'Use another authenticator.' },
  too_many_passkeys: { means: 'The user has 10 passkeys, which is the most.', action: 'Remove one first.' },
  factor_unknown: { means: 'The user has no such factor.', action: LOOK_AGAIN },

  // Any request
  malformed_request: {
    means:
      'The request cannot be parsed, does not have exactly one `Host`, or has a `#` in its target; or its query or form does not fit. On `/graphql` also any other answer of 400.',
    action: 'Fix the request: `detail` says how.',
  },
  body_not_json: { means: 'The body is not JSON in UTF-8.', action: FIX },
  body_invalid: {
    means: 'A field of the body is invalid. `errors` lists `field`, `message` and, for a password, its `reason`.',
    action: 'Show the messages at their fields.',
  },
  cross_site: {
    means: 'A browser calls a route below `/auth` from an origin that is neither `PUBLIC_URL` nor in `CORS_ORIGINS`.',
    action: 'Ask the operators to add the origin to `CORS_ORIGINS`.',
  },
  not_found: { means: 'The path is unknown, or what it belongs to is turned off.', action: FIX },
  method_not_allowed: { means: 'The path has other methods: `Allow` lists them.', action: FIX },
  not_acceptable: {
    means: '`Accept` allows no JSON, or no stream for a subscription. Only on `/graphql`.',
    action: FIX,
  },
  request_timeout: {
    means: 'The header was not complete within 15 s, or the body within 30 s.',
    action: 'Send the request again.',
  },
  body_too_large: { means: 'The body has more than 16 KiB; on `/graphql` more than 64 KiB.', action: 'Send less.' },
  unsupported_media_type: { means: 'The body has another type or charset, or is compressed.', action: FIX },
  too_many_requests: {
    means: 'Seventeen pipelined requests wait on one connection.',
    action: 'Wait for answers on a connection, or open several.',
  },
  header_too_large: { means: 'The header has more than 16 KiB.', action: 'Send fewer or smaller fields.' },
  internal_error: {
    means: 'A bug in the gateway. The log has details under the `X-Request-Id` of the answer.',
    action: 'Give the operators the `X-Request-Id`.',
  },
  unavailable: {
    means:
      'A store is down, the clock is wrong, or too many passwords wait. A change may have been made if the answer of the database was lost.',
    action:
      'Wait for `Retry-After`, then repeat: a refresh with its [proof of retry](interface.md#12), another change only if it was not made.',
  },
  client_gone: { means: 'The client disconnected before the operation started. Nothing was done.', action: 'Nothing.' },

  // Credentials: Interface 6
  missing_credentials: {
    means: 'The request has no credential.',
    action: 'Send one: `WWW-Authenticate` lists the kinds.',
  },
  multiple_credentials: { means: 'The request has credentials of several kinds.', action: 'Send one.' },
  unsupported_scheme: { means: 'The scheme of `Authorization` is not `Bearer`.', action: FIX },
  invalid_request: { means: '`Authorization` is malformed, or sent more than once.', action: FIX },
  invalid_token: {
    means: 'The access token is invalid or has expired. At `/auth/password` also: its user is no longer active.',
    action: 'Refresh, then repeat once. If the refresh is refused, log in again.',
  },
  invalid_key: {
    means: 'The internal key is unknown, revoked, expired or malformed.',
    action: 'Use another key. An administrator issues keys.',
  },
  malformed_signature: { means: 'The signature does not follow the [profile](services.md).', action: FIX_SIGNATURE },
  insufficient_coverage: { means: 'The signature does not cover every required component.', action: FIX_SIGNATURE },
  signature_expired: {
    means: 'The signature has expired or is from the future.',
    action: 'Compare the clock with `extensions.serverTime` (forward authentication: `server_time`), then sign again.',
  },
  content_digest_mismatch: { means: '`Content-Digest` does not match the body.', action: FIX_SIGNATURE },
  invalid_signature: {
    means: 'The key or its secret is invalid, or another text was signed.',
    action:
      'Compare the signed text with `extensions.signatureBase` (forward authentication: `signature_base`); otherwise use another key.',
  },
  nonce_reused: { means: 'The nonce was used before.', action: 'Sign each attempt with a new nonce.' },

  // Forward authentication: Interface 18
  rule_invalid: {
    means: 'The rule has something unknown, empty, repeated or behind it; `detail` says what.',
    action: FIX_PROXY,
  },
  proxy_not_listed: {
    means: 'The peer is not in `FORWARD_AUTH_PROXIES`.',
    action: 'Ask the operators to add the address that the log has as `peer_ip`.',
  },
  identity_field: {
    means: 'A field of the request begins with `X-Auth-`, also with another character such as `_` for `-`.',
    action: 'Do not send such fields. A proxy sets them after its question.',
  },
  original_request_invalid: {
    means:
      'A field that describes the original request is missing, repeated or malformed, or its target has `#`, `\\` or control characters.',
    action: FIX_PROXY,
  },
  origin_not_listed: {
    means: 'Scheme and authority of the original request are not exactly one of `FORWARD_AUTH_ORIGINS`.',
    action: 'Ask the operators to add the origin, or fix the scheme and host that the proxy sends.',
  },
  origin_not_secure: {
    means: 'The rule has `pages=on`, and the origin is not https, outside of development.',
    action: 'Ask the operators to serve it by https.',
  },
  gate_code_invalid: {
    means: 'The way back from `/gate` is unknown, used, expired, or of another origin or browser.',
    action: 'Open the page again.',
  },
  session_ended: {
    means: 'The session has ended, its user is deactivated, or has another role than the token says.',
    action: 'Refresh, then repeat once. If the refresh is refused, log in again.',
  },
  caller_not_allowed: { means: 'The rule does not allow this kind of caller.', action: NOT_ALLOWED },
  role_missing: { means: 'The user has none of the roles of the rule.', action: NOT_ALLOWED },

  // Rights
  scope_missing: {
    means: 'The caller lacks a scope: that of `extensions.requiredScope`, of the rule or of the route.',
    action: NOT_ALLOWED,
  },
  every_scope_needed: {
    means: 'Only a caller that holds every scope can create or change administrators.',
    action: NOT_ALLOWED,
  },
  caller_inactive: {
    means: 'The caller has been deactivated, deleted or revoked, or has expired.',
    action: 'Do not repeat. Log in again, or use another key.',
  },
  not_a_user: { means: 'The field is only for callers of the kind `user`.', action: 'Send an access token.' },

  // Administration: Interface 11
  user_unknown: { means: 'There is no such user.', action: LOOK_AGAIN },
  user_inactive: { means: 'The user is deactivated.', action: 'Activate the user first.' },
  session_unknown: { means: 'There is no such session.', action: LOOK_AGAIN },
  device_unknown: { means: 'There is no such device.', action: LOOK_AGAIN },
  key_unknown: { means: 'There is no such key, or it has been revoked or has expired.', action: LOOK_AGAIN },
  webhook_unknown: { means: 'There is no such webhook.', action: LOOK_AGAIN },
  event_unknown: { means: 'The audit log has no such event, or has it no more.', action: LOOK_AGAIN },
  event_not_wanted: { means: 'The webhook does not get events of this type.', action: FIX_INPUT },
  webhooks_off: { means: '`WEBHOOK_HOSTS` is not set.', action: 'Ask the operators to set it.' },
  webhook_target_refused: {
    means: 'The URL of the webhook is not allowed; the message says why.',
    action: 'Fix the URL, or ask the operators to add its host to `WEBHOOK_HOSTS`.',
  },
  too_many_webhooks: { means: 'There are 100 webhooks, which is the most.', action: 'Delete one first.' },
  mail_off: { means: '`MAIL` is `off`.', action: 'Hand the link over yourself, or ask the operators to set up mail.' },
  email_taken: { means: 'A user with this e-mail exists.', action: 'Ask for another e-mail.' },
  last_administrator: {
    means: 'The change would leave no administrator who can log in.',
    action: 'Make another administrator first.',
  },
  two_secrets_live: {
    means: 'Two secrets of the key are valid.',
    action: 'Wait until the older one expires, or use `force` or an overlap of 0.',
  },
  invalid_event_types: { means: 'The event types are empty or unknown.', action: FIX_INPUT },
  invalid_time: { means: 'The time is in the future.', action: FIX_INPUT },
  invalid_email: { means: 'The e-mail is not a valid address.', action: FIX_INPUT },
  invalid_password: { means: 'The password is not valid text.', action: FIX_INPUT },
  invalid_service_name: { means: 'The service name must have 1 to 100 printable characters.', action: FIX_INPUT },
  invalid_scope: {
    means: 'A scope must have the form `resource:action`, and a key has at most 50.',
    action: FIX_INPUT,
  },
  invalid_rate_limit: { means: 'The rate limit is not from 1 to 1,000,000.', action: FIX_INPUT },
  invalid_expiry: {
    means: 'The time at which the key expires is not in the future, or after the year 9999.',
    action: FIX_INPUT,
  },
  invalid_overlap: { means: 'The overlap is longer than 30 days, or negative.', action: FIX_INPUT },
  invalid_page: {
    means:
      '`first` or `last` is not from 1 to 100, a cursor is not of this list in this order, or the arguments do not go together.',
    action: 'Fix the input, or begin at the first page.',
  },
  invalid_ids: { means: 'There are more than 100 ids.', action: 'Ask several times.' },
  invalid_lines: { means: 'There are more than 100 lines.', action: 'Import them in several requests.' },
  invalid_span: {
    means: 'The time range is empty or has too many buckets.',
    action: 'Fix `since`, `until` or `bucket`.',
  },
  invalid_time_zone: { means: 'The time zone is not in the IANA database.', action: 'Fix `timeZone`.' },

  // An operation: Interface 7
  document_not_trusted: {
    means: 'The document is not trusted, by its text, or no trusted one has the id. Nothing was parsed.',
    action: 'Send a trusted document. Ask the operators to add yours to `TRUSTED_DOCUMENTS`.',
  },
  invalid_variable: { means: 'A variable does not fit its type.', action: 'Fix the input that the message names.' },
  invalid_text: { means: 'A string contains the NUL character.', action: FIX_INPUT },
  cost_above_limit: {
    means: 'The operation could read too much. Nothing was done.',
    action: 'Ask for less at once. `dearestPath` has the fields that cost most.',
  },
  too_much_to_read: { means: 'Reading took longer than 3.5 seconds.', action: 'Ask for less, such as a shorter time.' },
  too_many_waiting: {
    means: 'Too many fields of this caller are waiting, or one has waited for 4 seconds behind others.',
    action: 'Wait for `Retry-After`, then ask for less at once.',
  },
  too_many_streams: {
    means:
      'This caller has four streams or an export at this instance, or all callers together have 100 streams or four exports.',
    action: 'End one, or wait for `Retry-After`.',
  },
} as const satisfies Record<string, About>;

export type ErrorReason = keyof typeof ERROR_REASONS;
export type SpecReason = keyof typeof OF_SPEC_7;
