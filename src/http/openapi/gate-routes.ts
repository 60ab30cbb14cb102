/** OpenAPI of the gate in front of pages, and of introspection. (Interface 22 and 23) */
import { AUTHZ_ERRORS } from '../refusals.js';
import { INTROSPECTION_PATH, ONE_TOKEN, ONLY_FORMS } from '../routes/introspection-route.js';
import {
  bodyOf,
  INVALID_HTTP,
  invalidBody,
  json,
  OF_EVERY_ROUTE,
  PERHAPS,
  refusal,
  SHARED,
  shared,
  tooMany,
  unreadable,
  withFields,
} from './answers.js';
import {
  ACCEPT_SIGNATURE,
  always,
  ETAG,
  KEY_CHALLENGE,
  KEY_COUNTED,
  NO_STORE,
  REQUEST_ID,
  RETRY_AFTER,
  WWW_AUTHENTICATE,
} from './fields.js';
import { STATE } from './schemas.js';

const OFF = { 404: refusal('`FORWARD_AUTH_ORIGINS` is not set.', ['not_found']) };
const HTML = { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } };
const ORIGIN = 'https://app.example.com';

function parameter(name: string, description: string, example: string, required = false): object {
  return { name, in: 'query', required, description, schema: { type: 'string' }, example };
}

function gatePage(): object {
  const { InvalidHttp } = SHARED as { InvalidHttp: { content: object } };
  return {
    operationId: 'gate',
    summary: 'The page on which a browser logs in to a service behind the gate',
    tags: ['gate'],
    security: [],
    parameters: [
      parameter('origin', 'The service, one of `FORWARD_AUTH_ORIGINS`', ORIGIN, true),
      parameter('target', 'Path and query there', '/reports?year=2026', true),
      parameter('state', 'SHA-256 of the state cookie, in base64url', STATE),
      parameter('acr', '`aal2`: the service wants a second factor', 'aal2'),
      parameter('max_age', 'The service wants a proof of so many seconds', '300'),
      parameter('problem', '`code`: the way back was not valid', 'code'),
    ],
    responses: {
      ...OF_EVERY_ROUTE,
      200: {
        description: 'The page.',
        headers: { 'X-Request-Id': always(REQUEST_ID), 'Cache-Control': always(NO_STORE), ETag: ETAG },
        content: HTML,
      },
      400: {
        ...InvalidHttp,
        description: 'Not valid HTTP; or the address leads to no service, which the page says.',
        headers: { ...PERHAPS, ETag: ETAG },
        content: { ...InvalidHttp.content, ...HTML },
      },
      ...OFF,
    },
  };
}

function wayBack(): object {
  return {
    operationId: 'askWayBack',
    summary: 'Get the way back to a service behind the gate',
    description: 'For the session of the refresh cookie, which stays as it is. The address works once, for 30 seconds.',
    tags: ['gate'],
    security: [{ refreshCookie: [] }],
    requestBody: bodyOf('WayBackRequest'),
    responses: {
      ...OF_EVERY_ROUTE,
      200: json('Open this address.', 'WayBack', { location: `${ORIGIN}/.auth-gateway/callback?code=${STATE}` }),
      400: unreadable({}),
      401: refusal('No live session.', ['session_ended'], { 'WWW-Authenticate': always(WWW_AUTHENTICATE) }),
      403: shared('CrossSite'),
      ...OFF,
      413: refusal('The body is larger than 16 KiB.', ['body_too_large']),
      415: refusal('The body is not JSON in UTF-8, or is compressed.', ['unsupported_media_type']),
      422: invalidBody('origin', 'must be one of FORWARD_AUTH_ORIGINS', {}),
      429: tooMany('Too many requests from this IP address, or too many are waiting on this connection.', [
        'rate_limited',
      ]),
      503: shared('Unavailable'),
    },
  };
}

const ACTIVE = {
  active: true,
  sub: '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77',
  sid: '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a78',
  role: 'analyst',
  scope: 'users:read sessions:read audit:read',
  client_id: 'auth-gateway',
  token_type: 'Bearer',
  iss: 'https://auth.example.com',
  aud: 'https://auth.example.com',
  iat: 1_795_795_645,
  exp: 1_795_796_545,
  auth_time: 1_795_795_645,
  amr: ['pwd'],
  acr: 'aal1',
};

function introspection(): object {
  const form = { schema: { $ref: '#/components/schemas/IntrospectionRequest' } };
  const token = { name: 'token', reason: 'malformed_request', detail: ONE_TOKEN } as const;
  const keyRefusal = (reason: 'caller_not_allowed' | 'scope_missing' | 'rate_limited') => ({
    name: reason,
    reason,
    detail: AUTHZ_ERRORS[reason].detail,
  });
  return {
    operationId: 'introspect',
    summary: 'Ask whether the session of an access token is live (RFC 7662)',
    description: 'By a key with the scope `tokens:introspect`. Role, scopes and proofs are read at this moment.',
    tags: ['keys'],
    security: [{ signedRequest: [] }, { internalKey: [] }],
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': form } },
    responses: {
      ...OF_EVERY_ROUTE,
      200: json('Active, or `{"active": false}` and nothing more.', 'Introspection', ACTIVE, KEY_COUNTED),
      400: refusal('Not valid HTTP, or not one token.', [token, ...INVALID_HTTP], { ...PERHAPS, ...KEY_COUNTED }),
      401: json(
        'Not exactly one valid credential of a key.',
        'CallerRefused',
        { detail: 'Send a signed request or an internal key', reason: 'missing_credentials' },
        { 'WWW-Authenticate': always(KEY_CHALLENGE), 'Accept-Signature': ACCEPT_SIGNATURE },
      ),
      403: refusal(
        'A user, or a key without the scope.',
        [keyRefusal('caller_not_allowed'), keyRefusal('scope_missing')],
        KEY_COUNTED,
      ),
      413: refusal('The body is larger than 16 KiB.', ['body_too_large']),
      415: refusal('The body is no form, or is compressed.', [
        { name: 'unsupported_media_type', reason: 'unsupported_media_type', detail: ONLY_FORMS },
      ]),
      429: refusal(
        'Too many requests of this key, or too many are waiting on this connection.',
        [keyRefusal('rate_limited'), 'too_many_requests'],
        { ...PERHAPS, ...KEY_COUNTED, 'Retry-After': RETRY_AFTER },
      ),
      500: withFields('InternalError', KEY_COUNTED),
      503: withFields('Unavailable', KEY_COUNTED),
    },
  };
}

export function gateRoutes(): object {
  return {
    '/gate': { get: gatePage() },
    '/auth/gate': { post: wayBack() },
    [INTROSPECTION_PATH]: { post: introspection() },
  };
}
