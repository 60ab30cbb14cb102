/** OpenAPI 3.1 responses: those with a body of their own, and errors with their sentences. */
import { OUTAGE_DETAIL } from '../../platform/outage.js';
import { CROSS_SITE_DETAILS } from '../cross-site.js';
import { DETAILS } from '../errors.js';
import { NO_FRAGMENT, ONE_HOST } from '../malformed.js';
import { MALFORMED, TOO_MANY, UNPARSED } from '../server/unparsed.js';
import { ALLOW, always, NO_STORE, REQUEST_ID, RETRY_AFTER } from './fields.js';

type Fields = Record<string, object>;

/** Fields of every response of our routes */
const OURS: Fields = { 'X-Request-Id': always(REQUEST_ID), 'Cache-Control': always(NO_STORE) };
/** Fields that a request refused before routing may have */
const PERHAPS: Fields = { 'X-Request-Id': REQUEST_ID, 'Cache-Control': NO_STORE };

/** A JSON response whose body has the named component schema. */
export function json(description: string, schema: string, example: object, fields: Fields = {}): object {
  const content = { schema: { $ref: `#/components/schemas/${schema}` }, example };
  return { description, headers: { ...OURS, ...fields }, content: { 'application/json': content } };
}

/** A response without a body. */
export function noBody(description: string, fields: Fields): object {
  return { description, headers: { ...OURS, ...fields } };
}

/** An error whose `detail` is one of these sentences. @param about a summary for an example, by the same word */
export function refusal(
  description: string,
  details: Readonly<Record<string, string>>,
  fields: Fields = {},
  about: Readonly<Record<string, string>> = {},
): object {
  const examples = Object.entries(details).map(([word, detail]) => {
    const summary = about[word] === undefined ? {} : { summary: about[word] };
    return [word, { ...summary, value: { detail } }] as const;
  });
  const sentence = { properties: { detail: { enum: [...new Set(Object.values(details))] } } };
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, sentence] };
  return {
    description,
    headers: { ...OURS, ...fields },
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  };
}

const INVALID_HTTP = {
  malformed: MALFORMED.detail,
  host: ONE_HOST,
  fragment: NO_FRAGMENT,
};
const { ERR_HTTP_REQUEST_TIMEOUT, HPE_CHUNK_EXTENSIONS_OVERFLOW, HPE_HEADER_OVERFLOW } = UNPARSED;

/** Responses that several routes share. An outage does not log anybody out: the cookie stays. */
export const SHARED = {
  InvalidHttp: refusal('Not valid HTTP.', INVALID_HTTP, PERHAPS),
  TooSlow: refusal('The request took too long to arrive.', { timeout: ERR_HTTP_REQUEST_TIMEOUT.detail }, PERHAPS),
  BodyTooLarge: refusal('The body cannot be read.', { too_large: HPE_CHUNK_EXTENSIONS_OVERFLOW.detail }, PERHAPS),
  TooManyAtOnce: refusal('Too many requests are waiting on this connection.', { pipelined: TOO_MANY.detail }, PERHAPS),
  HeaderTooLarge: refusal('The header is too large.', { header: HPE_HEADER_OVERFLOW.detail }, PERHAPS),
  InternalError: refusal('A bug in the gateway. Report the `X-Request-Id` to its operators.', {
    internal_error: DETAILS[500],
  }),
  CrossSite: refusal(
    'The browser page has an origin that is neither that of `PUBLIC_URL` nor in `CORS_ORIGINS`. The cookie is unchanged.',
    { in_production: CROSS_SITE_DETAILS[0], in_development: CROSS_SITE_DETAILS[1] },
  ),
  Unavailable: refusal(
    'A required store is unavailable. Nothing has changed, and the cookie is unchanged.',
    { outage: OUTAGE_DETAIL },
    { 'Retry-After': always(RETRY_AFTER) },
  ),
  NotFound: refusal('Unknown path.', { not_found: DETAILS[404] }),
  MethodNotAllowed: refusal(
    'The path does not support this method.',
    { method: DETAILS[405] },
    { Allow: always(ALLOW) },
  ),
};

export function shared(name: keyof typeof SHARED): object {
  return { $ref: `#/components/responses/${name}` };
}

/** Errors of every route. A route with further reasons for a status replaces the entry. */
export const OF_EVERY_ROUTE = {
  400: shared('InvalidHttp'),
  408: shared('TooSlow'),
  429: shared('TooManyAtOnce'),
  431: shared('HeaderTooLarge'),
  500: shared('InternalError'),
};

/** A shared response, with the fields that the route may have set by then. */
export function withFields(name: 'InternalError' | 'Unavailable', fields: Fields): object {
  const answer = SHARED[name] as { headers: Fields };
  return { ...answer, headers: { ...answer.headers, ...fields } };
}

/** The 400 of a route that reads a body. */
export function unreadable(fields: Fields): object {
  return refusal(
    'Not valid HTTP, or the body is not valid JSON.',
    { not_json: DETAILS[400], ...INVALID_HTTP },
    { ...PERHAPS, ...fields },
  );
}

/** The 429 of a route with rate limits. */
export function tooMany(description: string, details: Readonly<Record<string, string>>, fields: Fields = {}): object {
  return refusal(
    description,
    { ...details, pipelined: TOO_MANY.detail },
    { ...PERHAPS, 'Retry-After': RETRY_AFTER, ...fields },
  );
}
