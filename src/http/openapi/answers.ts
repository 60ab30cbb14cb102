/** Answers as OpenAPI 3.1 describes them: those that have a body of their own, and errors by their sentences. */
import { OUTAGE_DETAIL } from '../../platform/outage.js';
import { CROSS_SITE_DETAILS } from '../cross-site.js';
import { DETAILS } from '../errors.js';
import { NO_FRAGMENT, ONE_HOST } from '../malformed.js';
import { MALFORMED, TOO_MANY, UNPARSED } from '../server/unparsed.js';
import { ALLOW, always, NO_STORE, REQUEST_ID, RETRY_AFTER } from './fields.js';

type Fields = Record<string, object>;

/** Of every answer that a route of ours gives */
const OURS: Fields = { 'X-Request-Id': always(REQUEST_ID), 'Cache-Control': always(NO_STORE) };
/** Of what is refused before a route is found: some have them, some not */
const PERHAPS: Fields = { 'X-Request-Id': REQUEST_ID, 'Cache-Control': NO_STORE };

/** An answer with JSON of that schema of the components. */
export function json(description: string, schema: string, example: object, fields: Fields = {}): object {
  const content = { schema: { $ref: `#/components/schemas/${schema}` }, example };
  return { description, headers: { ...OURS, ...fields }, content: { 'application/json': content } };
}

/** One of these sentences, by a word for each; and beside it nothing, unless `more` says so. */
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

const UNHEARD = {
  malformed: MALFORMED.detail,
  host: ONE_HOST,
  fragment: NO_FRAGMENT,
};
const { ERR_HTTP_REQUEST_TIMEOUT, HPE_CHUNK_EXTENSIONS_OVERFLOW, HPE_HEADER_OVERFLOW } = UNPARSED;

/** Answers that several routes have. An outage is no logout: the cookie stays. */
export const SHARED = {
  InvalidHttp: refusal('It is no valid HTTP.', UNHEARD, PERHAPS),
  TooSlow: refusal('It took too long to arrive.', { timeout: ERR_HTTP_REQUEST_TIMEOUT.detail }, PERHAPS),
  BodyTooLarge: refusal('Its body cannot be read.', { too_large: HPE_CHUNK_EXTENSIONS_OVERFLOW.detail }, PERHAPS),
  TooManyAtOnce: refusal('Too many requests wait on this connection.', { pipelined: TOO_MANY.detail }, PERHAPS),
  HeaderTooLarge: refusal('Its header is too large.', { header: HPE_HEADER_OVERFLOW.detail }, PERHAPS),
  InternalError: refusal('A bug: tell the operators the `X-Request-Id`.', { internal_error: DETAILS[500] }),
  CrossSite: refusal(
    'A browser calls from an origin that is neither that of `PUBLIC_URL` nor in `CORS_ORIGINS`. The cookie stays.',
    { in_production: CROSS_SITE_DETAILS[0], in_development: CROSS_SITE_DETAILS[1] },
  ),
  Unavailable: refusal(
    'What the answer needs cannot be asked at present. Nothing has changed, the cookie neither.',
    { outage: OUTAGE_DETAIL },
    { 'Retry-After': always(RETRY_AFTER) },
  ),
  NotFound: refusal('There is no such path.', { not_found: DETAILS[404] }),
  MethodNotAllowed: refusal('Another method is meant.', { method: DETAILS[405] }, { Allow: always(ALLOW) }),
};

export function shared(name: keyof typeof SHARED): object {
  return { $ref: `#/components/responses/${name}` };
}

/** What HTTP refuses on any path, and a bug. A route that refuses for more reasons has its own in its place. */
export const OF_EVERY_ROUTE = {
  400: shared('InvalidHttp'),
  408: shared('TooSlow'),
  429: shared('TooManyAtOnce'),
  431: shared('HeaderTooLarge'),
  500: shared('InternalError'),
};

/** An answer to whatever a route has done so far, with the fields that it may have set by then. */
export function withFields(name: 'InternalError' | 'Unavailable', fields: Fields): object {
  const answer = SHARED[name] as { headers: Fields };
  return { ...answer, headers: { ...answer.headers, ...fields } };
}

/** The same as 400 of every route, where a body is read too. */
export function unreadable(fields: Fields): object {
  return refusal(
    'It is no valid HTTP, or its body no JSON.',
    { not_json: DETAILS[400], ...UNHEARD },
    { ...PERHAPS, ...fields },
  );
}

/** The same as 429 of every route, where there are limits too. */
export function tooMany(description: string, details: Readonly<Record<string, string>>, fields: Fields = {}): object {
  return refusal(
    description,
    { ...details, pipelined: TOO_MANY.detail },
    { ...PERHAPS, 'Retry-After': RETRY_AFTER, ...fields },
  );
}
