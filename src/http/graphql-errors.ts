/** Interface 7: what HTTP refuses on `/graphql` before GraphQL is asked, in the form that GraphQL clients read. */
interface Row {
  code: 'BAD_REQUEST' | 'INTERNAL_SERVER_ERROR' | 'RATE_LIMITED' | 'SERVICE_UNAVAILABLE';
  reason: string;
}

const MALFORMED = { code: 'BAD_REQUEST', reason: 'malformed_request' } as const;

/** `extensions` by status; any other status is that of a malformed request. */
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
  503: { code: 'SERVICE_UNAVAILABLE', reason: 'outage' },
};

/** The path in origin or absolute form (RFC 9112 section 3.2) */
const PATH = /^(?:\w+:\/\/[^/?#]*)?\/graphql(?:[?#]|$)/;

/** The `errors` next to `detail` in an answer of `/graphql`; empty on other paths. */
export function graphqlErrors({ url = '' }: { url?: string | undefined }, status: number, detail: string): object {
  if (!PATH.test(url)) return {};
  return { errors: [{ message: detail, extensions: GRAPHQL_ERRORS[status] ?? MALFORMED }] };
}
