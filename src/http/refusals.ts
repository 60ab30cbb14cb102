/** Spec 7: the table of errors, and a table of further refusals. A refusal without its row does not compile. */
import type { FurtherRefusal, PasswordRefusal, Refusal } from '../auth/outcomes.js';
import { TOO_MANY_REQUESTS } from './rate-limits.js';

/**
 * The challenge of a 401 (RFC 9110 section 15.5.2), with the scheme of draft-broyer-http-cookie-auth: log in, and a
 * cookie will hold the credential.
 */
export const CHALLENGE = 'Cookie realm="auth-gateway", form-action="/auth/login", cookie-name="refresh_token"';

interface RefusalRow {
  status: 401 | 429;
  detail: string;
  cookie: 'unchanged' | 'cleared' | 'cleared_everywhere';
}

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
} as const satisfies Record<Refusal, RefusalRow>;

/** Interface 5 */
export const FURTHER_REFUSALS = {
  ambiguous_cookie: {
    status: 401,
    detail: REFUSALS.invalid_refresh_token.detail,
    cookie: 'cleared_everywhere',
  },
  rate_limited: { status: 429, detail: TOO_MANY_REQUESTS, cookie: 'unchanged' },
} as const satisfies Record<FurtherRefusal, RefusalRow>;

/** Interface 15 */
export const PASSWORD_REFUSALS = {
  account_locked: REFUSALS.account_locked,
  current_password_wrong: { status: 403, detail: 'Current password is wrong' },
  link_invalid: { status: 401, detail: 'Link is not valid' },
} as const satisfies Record<PasswordRefusal | 'account_locked', Pick<RefusalRow, 'detail'> & { status: number }>;
