/** OpenAPI of the three routes, with the refusals of the table and those made before routing. (Spec 4) */
import { CEREMONY_SECONDS } from '../../auth/factors/ceremonies.js';
import type { SpecReason } from '../../domain/error-reasons.js';
import { OF_ROUTES } from '../outcomes.js';
import { ERRORS, REFUSALS } from '../refusals.js';
import {
  bodyOf,
  GRANT,
  invalidBody,
  json,
  OF_EVERY_ROUTE,
  refusal,
  shared,
  tooMany,
  unreadable,
  withFields,
} from './answers.js';
import {
  always,
  COOKIE_CLEARED,
  COOKIE_SET,
  COUNTED,
  MAYBE_COUNTED,
  REFRESH_RETRY,
  WWW_AUTHENTICATE,
} from './fields.js';

const PROOF = '^this=:[A-Za-z0-9+/]{43}=:(, previous=:[A-Za-z0-9+/]{43}=:)?$';

const CHALLENGED = { 'WWW-Authenticate': always(WWW_AUTHENTICATE) };

/** The refusals of a route with this status, and what each does to the cookie. */
function rowsOf(route: keyof typeof OF_ROUTES, status: number): [reasons: SpecReason[], about: Record<string, string>] {
  const words = OF_ROUTES[route].filter((word): word is SpecReason & typeof word => word in REFUSALS);
  const rows = words.filter((word) => REFUSALS[word].status === status);
  const about = rows.map((word) => [word, `The cookie is ${REFUSALS[word].cookie}.`]);
  return [rows, Object.fromEntries(about)];
}

/** The answer to a right password of a user with a second factor. (Interface 20) */
const HALF_LOGIN = {
  detail: ERRORS.second_factor_required.detail,
  reason: 'second_factor_required',
  challenge: 'vJ0Zl6Jk3oQmWc9e2b1cRrXK0mC7b5tT1uYw8sQ4n0A',
  factors: ['totp', 'recovery_code'],
  expires_in: CEREMONY_SECONDS,
};

function orHalfLogin(answer: object): object {
  const { content, ...rest } = answer as { content: { 'application/json': { schema: object; examples: object } } };
  const { schema, examples } = content['application/json'];
  const withHalf = {
    schema: { anyOf: [schema, { $ref: '#/components/schemas/HalfLogin' }] },
    examples: {
      ...examples,
      second_factor_required: { summary: 'Go on at `POST /auth/login/factor`.', value: HALF_LOGIN },
    },
  };
  return { ...rest, content: { 'application/json': withHalf } };
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
    requestBody: bodyOf('LoginRequest'),
    responses: {
      ...OF_EVERY_ROUTE,
      200: json('Logged in.', 'TokenResponse', GRANT, { ...COUNTED, 'Set-Cookie': always(COOKIE_SET) }),
      400: unreadable(MAYBE_COUNTED),
      401: orHalfLogin(
        refusal(
          'Unknown user, wrong password, or a second step to come.',
          refused,
          { ...COUNTED, ...CHALLENGED },
          about,
        ),
      ),
      403: shared('CrossSite'),
      413: refusal('The body is larger than 16 KiB.', ['body_too_large'], MAYBE_COUNTED),
      415: refusal('The body is not JSON in UTF-8, or is compressed.', ['unsupported_media_type'], COUNTED),
      422: invalidBody('email', 'must be an e-mail address'),
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
