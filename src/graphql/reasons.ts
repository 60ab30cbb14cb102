/** Interface 7: every reason that an error of ours gives, its code, and what it says. The documentation has this table. */

import type { CallerRefusal } from '../callers/caller.js';
import type { AdminRefusalReason } from '../listing/refusal.js';

/** Codes of our own errors; those about a document are Apollo's. */
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
  /** One sentence for whoever handles it */
  means: string;
}

/** What resolving a caller refuses. */
const CALLERS = {
  missing_credentials: { code: 'UNAUTHENTICATED', means: 'The request has no credential.' },
  multiple_credentials: { code: 'UNAUTHENTICATED', means: 'The request has credentials of several kinds: send one.' },
  unsupported_scheme: { code: 'UNAUTHENTICATED', means: '`Authorization` has another scheme than `Bearer`.' },
  invalid_request: { code: 'UNAUTHENTICATED', means: '`Authorization` is malformed, or sent more than once.' },
  invalid_token: { code: 'UNAUTHENTICATED', means: 'The access token has expired or is not good: refresh, or log in.' },
  invalid_key: { code: 'UNAUTHENTICATED', means: 'The internal key is unknown, revoked or malformed.' },
  malformed_signature: { code: 'UNAUTHENTICATED', means: 'The signature is not in the form of the profile.' },
  insufficient_coverage: { code: 'UNAUTHENTICATED', means: 'The signature does not cover all that it has to.' },
  signature_expired: {
    code: 'UNAUTHENTICATED',
    means: 'The signature is out of time: compare your clock with `extensions.serverTime`, and sign again.',
  },
  content_digest_mismatch: {
    code: 'UNAUTHENTICATED',
    means: 'The body that arrived is not the one that was digested.',
  },
  invalid_signature: {
    code: 'UNAUTHENTICATED',
    means: 'The key or its secret is not good, or what was signed is not `extensions.signatureBase`.',
  },
  nonce_reused: { code: 'UNAUTHENTICATED', means: 'The nonce was used before: sign each attempt anew.' },
} as const satisfies Record<CallerRefusal, Row>;

/** What administration refuses. */
const ADMINISTRATION = {
  scope_missing: { code: 'FORBIDDEN', means: 'The caller lacks the scope in `extensions.requiredScope`.' },
  every_scope_needed: { code: 'FORBIDDEN', means: 'Administrators are changed by callers that hold every scope.' },
  caller_inactive: { code: 'FORBIDDEN', means: 'The caller was deactivated, removed or revoked meanwhile.' },
  user_unknown: { code: 'NOT_FOUND', means: 'There is no such user.' },
  session_unknown: { code: 'NOT_FOUND', means: 'There is no such session.' },
  key_unknown: { code: 'NOT_FOUND', means: 'There is no such key, or it is revoked.' },
  email_taken: { code: 'CONFLICT', means: 'A user with this e-mail exists.' },
  last_administrator: { code: 'CONFLICT', means: 'Nobody else could administer afterwards.' },
  two_secrets_live: {
    code: 'CONFLICT',
    means: 'Two secrets of the key are good: wait until the older one ends, or use `force` or an overlap of 0.',
  },
  invalid_email: { code: 'BAD_USER_INPUT', means: 'The e-mail is not an address.' },
  invalid_password: { code: 'BAD_USER_INPUT', means: 'The password is too short or too long, or no text.' },
  invalid_service_name: { code: 'BAD_USER_INPUT', means: 'The service name has 1 to 100 printable characters.' },
  invalid_scope: { code: 'BAD_USER_INPUT', means: 'A scope is `resource:action`, and there are at most 50.' },
  invalid_rate_limit: { code: 'BAD_USER_INPUT', means: 'The rate limit is out of its range.' },
  invalid_overlap: { code: 'BAD_USER_INPUT', means: 'The overlap is out of its range.' },
  invalid_page: { code: 'BAD_USER_INPUT', means: '`first` is out of its range, or `after` no cursor of this list.' },
  invalid_span: { code: 'BAD_USER_INPUT', means: 'The span of time is empty, or has more points than are given.' },
  invalid_time_zone: { code: 'BAD_USER_INPUT', means: 'The time zone is no name of the IANA database.' },
  too_much_to_read: { code: 'OPERATION_TOO_COSTLY', means: 'Reading takes longer than 3.5 seconds: ask for less.' },
} as const satisfies Record<AdminRefusalReason, Row>;

export const REASONS = {
  ...CALLERS,
  ...ADMINISTRATION,
  not_a_user: { code: 'FORBIDDEN', means: 'The field is for user callers.' },
  invalid_variable: { code: 'BAD_USER_INPUT', means: 'A variable does not fit its type.' },
  invalid_text: { code: 'BAD_USER_INPUT', means: 'A text holds the character NUL.' },
  cost_above_limit: { code: 'OPERATION_TOO_COSTLY', means: 'The operation may read too much: nothing was done.' },
  key_rate_limit: {
    code: 'RATE_LIMITED',
    means: 'The requests of this minute are used up: come back after `Retry-After`.',
  },
  too_many_waiting: {
    code: 'RATE_LIMITED',
    means: 'Too many fields of this caller wait: come back after `Retry-After`.',
  },
  outage: { code: 'SERVICE_UNAVAILABLE', means: 'A store that is needed is away: come back after `Retry-After`.' },
  client_gone: { code: 'SERVICE_UNAVAILABLE', means: 'The client hung up before its turn came: nothing was done.' },
  internal_error: {
    code: 'INTERNAL_SERVER_ERROR',
    means: 'A fault of ours, in the log under the `X-Request-Id` of the answer.',
  },
  body_not_json: { code: 'BAD_REQUEST', means: 'The body is not valid JSON.' },
} as const satisfies Record<string, Row>;

export type Reason = keyof typeof REASONS;
