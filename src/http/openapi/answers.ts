/** OpenAPI 3.1 responses: those with a body of their own, and errors with their reasons and sentences. */
import { CROSS_SITE_IN_DEVELOPMENT } from '../cross-site.js';
import { NO_FRAGMENT, ONE_HOST } from '../malformed.js';
import { type AuthzReason, ERRORS, type RestReason } from '../refusals.js';
import { ALLOW, always, COUNTED, NO_STORE, RATE_LIMIT_POLICY, REQUEST_ID, RETRY_AFTER } from './fields.js';

type Fields = Record<string, object>;

/** Fields of every response of our routes */
const OURS: Fields = { 'X-Request-Id': always(REQUEST_ID), 'Cache-Control': always(NO_STORE) };
/** Fields that a request refused before routing may have */
export const PERHAPS: Fields = { 'X-Request-Id': REQUEST_ID, 'Cache-Control': NO_STORE };

/** A JSON response whose body has the named component schema. */
export function json(description: string, schema: string, example: object, fields: Fields = {}): object {
  const content = { schema: { $ref: `#/components/schemas/${schema}` }, example };
  return { description, headers: { ...OURS, ...fields }, content: { 'application/json': content } };
}

/** A request body, whose schema has this name. */
export function bodyOf(schema: string): object {
  return { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } };
}

export const GRANT = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln',
  token_type: 'bearer',
  expires_in: 900,
};

/** The 422 of a request that was counted. @param message begins with "must" */
export function invalidBody(field: string, message: string, fields: Fields = COUNTED): object {
  const example = { detail: ERRORS.body_invalid.detail, reason: 'body_invalid', errors: [{ field, message }] };
  return json('The body is invalid; `errors` lists what is wrong.', 'InvalidBody', example, fields);
}

/** A response without a body. */
export function noBody(description: string, fields: Fields): object {
  return { description, headers: { ...OURS, ...fields } };
}

/** A row of the table of errors, or another sentence for it. */
type Sentence = RestReason | { name: string; reason: RestReason | AuthzReason; detail: string };

/** An error, with an example for each of these. @param about a summary for an example, by its reason */
export function refusal(
  description: string,
  sentences: readonly Sentence[],
  fields: Fields = {},
  about: Readonly<Record<string, string>> = {},
): object {
  const rows = sentences.map((one) =>
    typeof one === 'string' ? { name: one, reason: one, detail: ERRORS[one].detail } : one,
  );
  const examples = rows.map(({ name, reason, detail }) => {
    const summary = about[name] === undefined ? {} : { summary: about[name] };
    return [name, { ...summary, value: { detail, reason } }] as const;
  });
  const words = {
    properties: {
      detail: { enum: [...new Set(rows.map(({ detail }) => detail))] },
      reason: { enum: [...new Set(rows.map(({ reason }) => reason))] },
    },
  };
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, words] };
  return {
    description,
    headers: { ...OURS, ...fields },
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  };
}

/** Refusals of a request without a valid access token. */
export const NO_TOKEN = ['missing_credentials', 'unsupported_scheme', 'invalid_request', 'invalid_token'] as const;

export const INVALID_HTTP: Sentence[] = [
  'malformed_request',
  { name: 'host', reason: 'malformed_request', detail: ONE_HOST },
  { name: 'fragment', reason: 'malformed_request', detail: NO_FRAGMENT },
];

/** In production and in development */
export const CROSS_SITE: Sentence[] = [
  'cross_site',
  { name: 'in_development', reason: 'cross_site', detail: CROSS_SITE_IN_DEVELOPMENT },
];

/** Responses that several routes share. An outage leaves the cookie; a lost answer to a commit may have used its token. */
export const SHARED = {
  InvalidHttp: refusal('Not valid HTTP.', INVALID_HTTP, PERHAPS),
  TooSlow: refusal('The request took too long to arrive.', ['request_timeout'], PERHAPS),
  BodyTooLarge: refusal('The body cannot be read.', ['body_too_large'], PERHAPS),
  TooManyAtOnce: refusal('Too many requests are waiting on this connection.', ['too_many_requests'], PERHAPS),
  HeaderTooLarge: refusal('The header is too large.', ['header_too_large'], PERHAPS),
  InternalError: refusal('A bug in the gateway. Report the `X-Request-Id` to its operators.', ['internal_error']),
  CrossSite: refusal(
    'The browser page has an origin that is neither that of `PUBLIC_URL` nor in `CORS_ORIGINS`. The cookie is unchanged.',
    CROSS_SITE,
  ),
  Unavailable: refusal(
    'Something that the answer needs does not work. The cookie is unchanged. If the answer of the database was lost, the change ' +
      'may have been made: a refresh token that is then presented again ends its session, unless a retry is proved.',
    ['unavailable'],
    { 'Retry-After': always(RETRY_AFTER) },
  ),
  NotFound: refusal('Unknown path.', ['not_found']),
  MethodNotAllowed: refusal('The path does not support this method.', ['method_not_allowed'], {
    Allow: always(ALLOW),
    'RateLimit-Policy': RATE_LIMIT_POLICY,
  }),
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
export function withFields(name: 'BodyTooLarge' | 'InternalError' | 'Unavailable', fields: Fields): object {
  const answer = SHARED[name] as { headers: Fields };
  return { ...answer, headers: { ...answer.headers, ...fields } };
}

/** The 400 of a route that reads a body. */
export function unreadable(fields: Fields): object {
  return refusal('Not valid HTTP, or the body is not valid JSON.', ['body_not_json', ...INVALID_HTTP], {
    ...PERHAPS,
    ...fields,
  });
}

/** The 429 of a route with rate limits. */
export function tooMany(description: string, reasons: readonly RestReason[], fields: Fields = {}): object {
  return refusal(description, [...reasons, 'too_many_requests'], { ...PERHAPS, 'Retry-After': RETRY_AFTER, ...fields });
}
