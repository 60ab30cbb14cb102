/** OpenAPI of the three routes, with the refusals of the table and those made before routing. (Spec 4) */
import type { SpecReason } from '../../domain/error-reasons.js';
import { OF_ROUTES } from '../outcomes.js';
import { ERRORS, REFUSALS } from '../refusals.js';
import { json, OF_EVERY_ROUTE, refusal, shared, tooMany, unreadable, withFields } from './answers.js';
import {
  always,
  COOKIE_CLEARED,
  COOKIE_SET,
  RATE_LIMIT,
  RATE_LIMIT_POLICY,
  REFRESH_RETRY,
  WWW_AUTHENTICATE,
} from './fields.js';

const PROOF = '^this=:[A-Za-z0-9+/]{43}=:(, previous=:[A-Za-z0-9+/]{43}=:)?$';

const GRANT = {
  access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln',
  token_type: 'bearer',
  expires_in: 900,
};
const CHALLENGED = { 'WWW-Authenticate': always(WWW_AUTHENTICATE) };
const COUNTED = { 'RateLimit-Policy': always(RATE_LIMIT_POLICY), RateLimit: always(RATE_LIMIT) };
/** The request may have been refused before it was counted */
const MAYBE_COUNTED = { 'RateLimit-Policy': RATE_LIMIT_POLICY, RateLimit: RATE_LIMIT };

/** The refusals of a route with this status, and what each does to the cookie. */
function rowsOf(route: keyof typeof OF_ROUTES, status: number): [reasons: SpecReason[], about: Record<string, string>] {
  const words = OF_ROUTES[route].filter((word): word is SpecReason & typeof word => word in REFUSALS);
  const rows = words.filter((word) => REFUSALS[word].status === status);
  const about = rows.map((word) => [word, `The cookie is ${REFUSALS[word].cookie}.`]);
  return [rows, Object.fromEntries(about)];
}

function loginRoute(): object {
  const [refused, about] = rowsOf('/auth/login', 401);
  const [locked] = rowsOf('/auth/login', 429);
  return {
    operationId: 'login',
    summary: 'Log in',
    description:
      'Starts a session. The body has an access token; a cookie that scripts cannot read has the refresh token. If the gateway ' +
      'has `KNOWN_DEVICES=on`, a second `Set-Cookie` has the cookie `device`, by which it knows the browser at the next login.',
    tags: ['login'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/LoginRequest' } } },
    },
    responses: {
      ...OF_EVERY_ROUTE,
      200: json('Logged in.', 'TokenResponse', GRANT, { ...COUNTED, 'Set-Cookie': always(COOKIE_SET) }),
      400: unreadable(MAYBE_COUNTED),
      401: refusal('Unknown user or wrong password.', refused, { ...COUNTED, ...CHALLENGED }, about),
      403: shared('CrossSite'),
      413: refusal('The body is larger than 16 KiB.', ['body_too_large'], MAYBE_COUNTED),
      415: refusal('The body is not JSON in UTF-8, or is compressed.', ['unsupported_media_type'], COUNTED),
      422: json(
        'The body is invalid; `errors` lists what is wrong.',
        'InvalidBody',
        {
          detail: ERRORS.body_invalid.detail,
          reason: 'body_invalid',
          errors: [{ field: 'email', message: 'must be an e-mail address' }],
        },
        COUNTED,
      ),
      429: tooMany(
        'Too many login attempts from this IP address, the account is locked, or too many requests are waiting on this connection.',
        ['login_rate_limited', ...locked],
        MAYBE_COUNTED,
      ),
      500: withFields('InternalError', MAYBE_COUNTED),
      503: withFields('Unavailable', MAYBE_COUNTED),
    },
  };
}

const AMBIGUOUS =
  'Several cookies of this name have different values, and not exactly one is a token of this gateway. They are cleared for the host of PUBLIC_URL and each parent domain.';

const LIMITED = tooMany(
  'Too many requests from this IP address (`SESSION_RATE_LIMIT`), or too many are waiting on this connection.',
  ['rate_limited'],
);
const REFRESH_LIMITED = tooMany(
  'Too many requests of this session (`REFRESH_RATE_LIMIT`) or from this IP address (`SESSION_RATE_LIMIT`), or too many are waiting on this connection.',
  ['rate_limited'],
);

function refreshRoute(): object {
  const [refused, about] = rowsOf('/auth/refresh', 401);
  return {
    operationId: 'refresh',
    summary: 'Get a new access token',
    description:
      'Replaces the cookie, which is valid for one refresh. Presenting a used cookie is treated as theft and ends the session.',
    tags: ['login'],
    security: [{ refreshCookie: [] }],
    parameters: [
      {
        name: 'Refresh-Retry',
        in: 'header',
        description:
          'With `REFRESH_RETRY=true`: the keys of this attempt and the previous one, 32 random bytes each. They allow a client to repeat a refresh whose response was lost',
        schema: { type: 'string', pattern: PROOF },
        example: 'this=:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=:',
      },
    ],
    responses: {
      ...OF_EVERY_ROUTE,
      200: json('Refreshed.', 'TokenResponse', GRANT, {
        'Set-Cookie': always(COOKIE_SET),
        'Refresh-Retry': REFRESH_RETRY,
      }),
      401: refusal(
        'Log in again.',
        [...refused, 'ambiguous_cookie'],
        { ...CHALLENGED, 'Set-Cookie': COOKIE_CLEARED },
        { ...about, ambiguous_cookie: AMBIGUOUS },
      ),
      403: shared('CrossSite'),
      413: shared('BodyTooLarge'),
      429: REFRESH_LIMITED,
      503: shared('Unavailable'),
    },
  };
}

function logoutRoute(): object {
  return {
    operationId: 'logout',
    summary: 'Log out',
    description: 'Revokes the refresh token in the cookie, if there is one, and always clears the cookie.',
    tags: ['login'],
    security: [{}, { refreshCookie: [] }],
    responses: {
      ...OF_EVERY_ROUTE,
      200: json(
        'Logged out.',
        'LogoutResponse',
        { message: 'Logged out successfully' },
        {
          'Set-Cookie': always(COOKIE_CLEARED),
        },
      ),
      403: shared('CrossSite'),
      413: shared('BodyTooLarge'),
      429: LIMITED,
      503: shared('Unavailable'),
    },
  };
}

export function loginRoutes(): object {
  return {
    '/auth/login': { post: loginRoute() },
    '/auth/refresh': { post: refreshRoute() },
    '/auth/logout': { post: logoutRoute() },
  };
}
