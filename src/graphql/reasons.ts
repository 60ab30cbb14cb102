/** Interface 7: every reason of our own errors, with its code and meaning. The documentation prints this table. */

import type { CallerRefusal } from '../callers/caller.js';
import type { ErrorReason } from '../domain/error-reasons.js';
import type { AdminRefusalReason } from '../listing/refusal.js';

/** Codes of our own errors. Errors about a document have Apollo's codes. */
type ErrorCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL_SERVER_ERROR'
  | 'NOT_FOUND'
  | 'OPERATION_TOO_COSTLY'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'UNAUTHENTICATED';

interface Row {
  code: ErrorCode;
  /** For whoever handles the error */
  means: string;
}

/** Refusals while the caller is identified. */
const CALLERS = {
  missing_credentials: { code: 'UNAUTHENTICATED', means: 'The request has no credential.' },
  multiple_credentials: { code: 'UNAUTHENTICATED', means: 'The request has credentials of several kinds. Send one.' },
  unsupported_scheme: { code: 'UNAUTHENTICATED', means: 'The scheme of `Authorization` is not `Bearer`.' },
  invalid_request: { code: 'UNAUTHENTICATED', means: '`Authorization` is malformed, or sent more than once.' },
  invalid_token: {
    code: 'UNAUTHENTICATED',
    means: 'The access token is invalid or has expired. Refresh it or log in again.',
  },
  invalid_key: { code: 'UNAUTHENTICATED', means: 'The internal key is unknown, revoked or malformed.' },
  malformed_signature: { code: 'UNAUTHENTICATED', means: 'The signature does not follow the signature profile.' },
  insufficient_coverage: { code: 'UNAUTHENTICATED', means: 'The signature does not cover every required component.' },
  signature_expired: {
    code: 'UNAUTHENTICATED',
    means:
      'The signature has expired or is from the future. Compare your clock with `extensions.serverTime` and sign again.',
  },
  content_digest_mismatch: {
    code: 'UNAUTHENTICATED',
    means: '`Content-Digest` does not match the body.',
  },
  invalid_signature: {
    code: 'UNAUTHENTICATED',
    means: 'The key or its secret is invalid, or the signed text differs from `extensions.signatureBase`.',
  },
  nonce_reused: { code: 'UNAUTHENTICATED', means: 'The nonce was used before. Sign each attempt with a new one.' },
} as const satisfies Record<CallerRefusal, Row>;

/** Refusals of administrative operations. */
const ADMINISTRATION = {
  scope_missing: { code: 'FORBIDDEN', means: 'The caller lacks the scope in `extensions.requiredScope`.' },
  every_scope_needed: { code: 'FORBIDDEN', means: 'Only a caller that holds every scope can change administrators.' },
  caller_inactive: { code: 'FORBIDDEN', means: 'The caller has been deactivated, deleted or revoked, or has expired.' },
  user_unknown: { code: 'NOT_FOUND', means: 'There is no such user.' },
  user_inactive: { code: 'CONFLICT', means: 'The user is deactivated.' },
  session_unknown: { code: 'NOT_FOUND', means: 'There is no such session.' },
  device_unknown: { code: 'NOT_FOUND', means: 'There is no such device.' },
  key_unknown: { code: 'NOT_FOUND', means: 'There is no such key, or it has been revoked or has expired.' },
  webhook_unknown: { code: 'NOT_FOUND', means: 'There is no such webhook.' },
  webhooks_off: { code: 'CONFLICT', means: 'Webhooks are off: `WEBHOOK_HOSTS` is not set.' },
  webhook_target_refused: {
    code: 'BAD_USER_INPUT',
    means: 'The URL of the webhook is not allowed. The message says why.',
  },
  too_many_webhooks: { code: 'CONFLICT', means: 'There are 100 webhooks, which is the most.' },
  mail_off: { code: 'CONFLICT', means: 'Mail is off: `MAIL` is not set.' },
  invalid_event_types: { code: 'BAD_USER_INPUT', means: 'The event types are empty or unknown.' },
  invalid_time: { code: 'BAD_USER_INPUT', means: 'The time is in the future.' },
  email_taken: { code: 'CONFLICT', means: 'A user with this email already exists.' },
  last_administrator: { code: 'CONFLICT', means: 'The change would leave no administrator who can log in.' },
  two_secrets_live: {
    code: 'CONFLICT',
    means: 'Two secrets of the key are valid. Wait until the older one expires, or use `force` or an overlap of 0.',
  },
  invalid_email: { code: 'BAD_USER_INPUT', means: 'The email is not a valid address.' },
  invalid_password: { code: 'BAD_USER_INPUT', means: 'The password is not valid text.' },
  too_short: { code: 'BAD_USER_INPUT', means: 'The password has fewer than 15 characters.' },
  too_long: { code: 'BAD_USER_INPUT', means: 'The password has more than 1,024 bytes.' },
  current: { code: 'BAD_USER_INPUT', means: 'The password is the current one.' },
  context: {
    code: 'BAD_USER_INPUT',
    means: 'The password is the e-mail address or the host name with little around it.',
  },
  common: { code: 'BAD_USER_INPUT', means: 'The password is in the list of common passwords.' },
  breached: { code: 'BAD_USER_INPUT', means: 'The password is known from a data breach.' },
  invalid_service_name: { code: 'BAD_USER_INPUT', means: 'The service name must have 1 to 100 printable characters.' },
  invalid_scope: {
    code: 'BAD_USER_INPUT',
    means: 'A scope must have the form `resource:action`, and a key has at most 50.',
  },
  invalid_rate_limit: { code: 'BAD_USER_INPUT', means: 'The rate limit is out of range.' },
  invalid_expiry: { code: 'BAD_USER_INPUT', means: 'The time at which the key expires is not in the future.' },
  invalid_overlap: { code: 'BAD_USER_INPUT', means: 'The overlap is out of range.' },
  invalid_page: { code: 'BAD_USER_INPUT', means: '`first` is out of range, or `after` is not a cursor of this list.' },
  invalid_ids: { code: 'BAD_USER_INPUT', means: 'There are more than 100 ids.' },
  invalid_span: { code: 'BAD_USER_INPUT', means: 'The time range is empty or has too many buckets.' },
  invalid_time_zone: { code: 'BAD_USER_INPUT', means: 'The time zone is not in the IANA database.' },
  too_much_to_read: { code: 'OPERATION_TOO_COSTLY', means: 'Reading took longer than 3.5 seconds. Ask for less.' },
} as const satisfies Record<AdminRefusalReason, Row>;

export const REASONS = {
  ...CALLERS,
  ...ADMINISTRATION,
  not_a_user: { code: 'FORBIDDEN', means: 'The field is only for user callers.' },
  invalid_variable: { code: 'BAD_USER_INPUT', means: 'A variable does not fit its type.' },
  invalid_text: { code: 'BAD_USER_INPUT', means: 'A string contains the NUL character.' },
  cost_above_limit: { code: 'OPERATION_TOO_COSTLY', means: 'The operation could read too much. Nothing was done.' },
  rate_limited: {
    code: 'RATE_LIMITED',
    means: 'The key has no requests left in this minute. Retry after `Retry-After`.',
  },
  too_many_waiting: {
    code: 'RATE_LIMITED',
    means:
      'Too many fields of this caller are waiting, or one has waited for 4 seconds behind others. Retry after `Retry-After`, with fewer at once.',
  },
  unavailable: { code: 'SERVICE_UNAVAILABLE', means: 'A required store is unavailable. Retry after `Retry-After`.' },
  client_gone: {
    code: 'SERVICE_UNAVAILABLE',
    means: 'The client disconnected before the operation started. Nothing was done.',
  },
  internal_error: {
    code: 'INTERNAL_SERVER_ERROR',
    means: 'A bug in the gateway. The log has details under the `X-Request-Id` of the response.',
  },
  body_not_json: { code: 'BAD_REQUEST', means: 'The body is not valid JSON.' },
} as const satisfies Partial<Record<ErrorReason, Row>>;

export type Reason = keyof typeof REASONS;
