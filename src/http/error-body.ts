/** The JSON body of an error, which never repeats what a caller submitted. (Interface 5 and 7) */
import type { ErrorReason } from '../domain/error-reasons.js';
import { ERRORS, type RestReason } from './refusals.js';

interface Row {
  code: 'BAD_REQUEST' | 'INTERNAL_SERVER_ERROR' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE';
  reason: ErrorReason;
}

const MALFORMED = { code: 'BAD_REQUEST', reason: 'malformed_request' } as const;

/** Interface 7: `extensions` of what HTTP refuses on `/graphql`, by status; any other is a malformed request. */
export const GRAPHQL_ERRORS: Readonly<Record<number, Row>> = {
  400: MALFORMED,
  405: { code: 'BAD_REQUEST', reason: 'method_not_allowed' },
  406: { code: 'BAD_REQUEST', reason: 'not_acceptable' },
  408: { code: 'BAD_REQUEST', reason: 'request_timeout' },
  413: { code: 'BAD_REQUEST', reason: 'body_too_large' },
  415: { code: 'BAD_REQUEST', reason: 'unsupported_media_type' },
  429: { code: 'RATE_LIMITED', reason: 'too_many_requests' },
  431: { code: 'BAD_REQUEST', reason: 'header_too_large' },
  500: { code: 'INTERNAL_SERVER_ERROR', reason: 'internal_error' },
  503: { code: 'SERVICE_UNAVAILABLE', reason: 'unavailable' },
};

/** The path in origin or absolute form (RFC 9112 section 3.2) */
const GRAPHQL_PATH = /^(?:\w+:\/\/[^/?#]*)?\/graphql(?:[?#]|$)/;

/** Further members of a body, such as the `errors` of a 422. `detail` replaces the sentence of the table. */
export interface More {
  detail?: string;
  [member: string]: unknown;
}

/** On `/graphql` with `errors`, where GraphQL clients look for the reason. */
export function errorBody(
  { url = '' }: { url?: string | undefined },
  reason: RestReason,
  { detail = ERRORS[reason].detail, ...more }: More = {},
): object {
  if (!GRAPHQL_PATH.test(url)) return { detail, reason, ...more };
  return { detail, errors: [{ message: detail, extensions: GRAPHQL_ERRORS[ERRORS[reason].status] ?? MALFORMED }] };
}
