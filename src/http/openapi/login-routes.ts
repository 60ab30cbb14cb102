/** Spec 4: the three routes. Their refusals are those of the table, and what the edge refuses. */
import type { Refusal } from '../../auth/outcomes.js';
import { DETAILS } from '../errors.js';
import { OF_ROUTES } from '../outcomes.js';
import { TOO_MANY_LOGINS, TOO_MANY_REQUESTS } from '../rate-limits.js';
import { FURTHER_REFUSALS, REFUSALS } from '../refusals.js';
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
/** Where the request may have been refused before it was counted */
const MAYBE_COUNTED = { 'RateLimit-Policy': RATE_LIMIT_POLICY, RateLimit: RATE_LIMIT };

/** The rows of the table that a route can answer with such a status, and what each does to the cookie. */
function rowsOf(
  route: keyof typeof OF_ROUTES,
  status: number,
): [details: Record<string, string>, about: Record<string, string>] {
  const words = OF_ROUTES[route].filter((word): word is Refusal & typeof word => word in REFUSALS);
  const rows = words.filter((word) => REFUSALS[word].status === status);
  const details = rows.map((word) => [word, REFUSALS[word].detail]);
  const about = rows.map((word) => [word, `The cookie is ${REFUSALS[word].cookie}.`]);
  return [Object.fromEntries(details), Object.fromEntries(about)];
}

function loginRoute(): object {
  const [refused, about] = rowsOf('/auth/login', 401);
  const [locked] = rowsOf('/auth/login', 429);
  return {
    operationId: 'login',
    summary: 'Log in',
    description:
      'Begins a session: an access token in the body, and a refresh token in a cookie that no script can read.',
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
      401: refusal('No such user, or another password.', refused, { ...COUNTED, ...CHALLENGED }, about),
      403: shared('CrossSite'),
      413: refusal('Its body is over 16 KiB.', { too_large: DETAILS[413] }, MAYBE_COUNTED),
      415: refusal('Its body is no JSON in UTF-8, or compressed.', { content_type: DETAILS[415] }, COUNTED),
      422: json(
        'The body lacks something; `errors` says what.',
        'InvalidBody',
        { detail: 'Request body is invalid', errors: [{ field: 'email', message: 'must be an e-mail address' }] },
        COUNTED,
      ),
      429: tooMany(
        'This address has tried too often, the account is locked, or too many requests wait on this connection.',
        { rate_limited: TOO_MANY_LOGINS, ...locked },
        MAYBE_COUNTED,
      ),
      500: withFields('InternalError', MAYBE_COUNTED),
      503: withFields('Unavailable', MAYBE_COUNTED),
    },
  };
}

const AMBIGUOUS =
  'Several cookies of this name differ. They are cleared for the host of PUBLIC_URL and for each domain above it.';

const LIMITED = tooMany(
  'This address has asked too often (`SESSION_RATE_LIMIT`), or too many requests wait on this connection.',
  { rate_limited: TOO_MANY_REQUESTS },
);
const REFRESH_LIMITED = tooMany(
  'This session (`REFRESH_RATE_LIMIT`) or this address (`SESSION_RATE_LIMIT`) has asked too often, or too many requests wait on this connection.',
  { rate_limited: TOO_MANY_REQUESTS },
);

function refreshRoute(): object {
  const [refused, about] = rowsOf('/auth/refresh', 401);
  return {
    operationId: 'refresh',
    summary: 'Get the next access token',
    description:
      'Replaces the cookie, which is good for one refresh. Whoever presents a used one is taken for a thief, and the session ends.',
    tags: ['login'],
    security: [{ refreshCookie: [] }],
    parameters: [
      {
        name: 'Refresh-Retry',
        in: 'header',
        description:
          'Where `REFRESH_RETRY=true`: keys of this attempt and of the one before, 32 random bytes each, by which a refresh that got no answer can be repeated',
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
        { ...refused, ambiguous_cookie: FURTHER_REFUSALS.ambiguous_cookie.detail },
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
    description: 'Ends the refresh token of the cookie, where there is one, and clears the cookie, whatever it is.',
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
