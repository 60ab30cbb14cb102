/** The code of each reason of an error. docs/errors.md prints it. (Interface 7) */

import type { CallerRefusal } from '../callers/caller.js';
import type { ErrorReason } from '../domain/error-reasons.js';
import type { AdminRefusalReason } from '../listing/refusal.js';

/** Apollo's codes of errors about a document, whose texts are of graphql-js */
export type DocumentCode = 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED' | 'OPERATION_RESOLUTION_FAILURE';

/** Codes of our own errors */
type ErrorCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'CONFIRMATION_REQUIRED'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL_SERVER_ERROR'
  | 'NOT_FOUND'
  | 'OPERATION_TOO_COSTLY'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'UNAUTHENTICATED';

/** Refusals while the caller is identified. */
const CALLERS = {
  missing_credentials: 'UNAUTHENTICATED',
  multiple_credentials: 'UNAUTHENTICATED',
  unsupported_scheme: 'UNAUTHENTICATED',
  invalid_request: 'UNAUTHENTICATED',
  invalid_token: 'UNAUTHENTICATED',
  invalid_key: 'UNAUTHENTICATED',
  malformed_signature: 'UNAUTHENTICATED',
  insufficient_coverage: 'UNAUTHENTICATED',
  signature_expired: 'UNAUTHENTICATED',
  content_digest_mismatch: 'UNAUTHENTICATED',
  invalid_signature: 'UNAUTHENTICATED',
  nonce_reused: 'UNAUTHENTICATED',
} as const satisfies Record<CallerRefusal, ErrorCode>;

/** Refusals of administrative operations. */
const ADMINISTRATION = {
  scope_missing: 'FORBIDDEN',
  second_factor_required: 'FORBIDDEN',
  confirmation_required: 'CONFIRMATION_REQUIRED',
  every_scope_needed: 'FORBIDDEN',
  caller_inactive: 'FORBIDDEN',
  user_unknown: 'NOT_FOUND',
  user_inactive: 'CONFLICT',
  session_unknown: 'NOT_FOUND',
  device_unknown: 'NOT_FOUND',
  key_unknown: 'NOT_FOUND',
  webhook_unknown: 'NOT_FOUND',
  event_unknown: 'NOT_FOUND',
  event_not_wanted: 'BAD_USER_INPUT',
  webhooks_off: 'CONFLICT',
  webhook_target_refused: 'BAD_USER_INPUT',
  too_many_webhooks: 'CONFLICT',
  mail_off: 'CONFLICT',
  rate_limited: 'RATE_LIMITED',
  invalid_event_types: 'BAD_USER_INPUT',
  invalid_time: 'BAD_USER_INPUT',
  email_taken: 'CONFLICT',
  last_administrator: 'CONFLICT',
  two_secrets_live: 'CONFLICT',
  invalid_email: 'BAD_USER_INPUT',
  invalid_password: 'BAD_USER_INPUT',
  too_short: 'BAD_USER_INPUT',
  too_long: 'BAD_USER_INPUT',
  current: 'BAD_USER_INPUT',
  context: 'BAD_USER_INPUT',
  common: 'BAD_USER_INPUT',
  breached: 'BAD_USER_INPUT',
  invalid_service_name: 'BAD_USER_INPUT',
  invalid_scope: 'BAD_USER_INPUT',
  invalid_rate_limit: 'BAD_USER_INPUT',
  invalid_expiry: 'BAD_USER_INPUT',
  invalid_overlap: 'BAD_USER_INPUT',
  invalid_page: 'BAD_USER_INPUT',
  invalid_ids: 'BAD_USER_INPUT',
  invalid_lines: 'BAD_USER_INPUT',
  invalid_span: 'BAD_USER_INPUT',
  invalid_time_zone: 'BAD_USER_INPUT',
  too_much_to_read: 'OPERATION_TOO_COSTLY',
} as const satisfies Record<AdminRefusalReason, ErrorCode>;

export const CODES = {
  ...CALLERS,
  ...ADMINISTRATION,
  not_a_user: 'FORBIDDEN',
  invalid_variable: 'BAD_USER_INPUT',
  invalid_text: 'BAD_USER_INPUT',
  cost_above_limit: 'OPERATION_TOO_COSTLY',
  too_many_waiting: 'RATE_LIMITED',
  too_many_streams: 'RATE_LIMITED',
  unavailable: 'SERVICE_UNAVAILABLE',
  client_gone: 'SERVICE_UNAVAILABLE',
  internal_error: 'INTERNAL_SERVER_ERROR',
  body_not_json: 'BAD_REQUEST',
  document_not_trusted: 'BAD_REQUEST',
  not_acceptable: 'BAD_REQUEST',
} as const satisfies Partial<Record<ErrorReason, ErrorCode>>;

export type GraphqlReason = keyof typeof CODES;
