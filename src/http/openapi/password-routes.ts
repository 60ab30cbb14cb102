/** OpenAPI of the routes by which people change a password, or set it by a link. (Interface 15) */
import { ON_ITS_WAY } from '../answer-texts.js';
import { ERRORS } from '../refusals.js';
import {
  bodyOf,
  CROSS_SITE,
  invalidBody,
  json,
  NO_TOKEN,
  noBody,
  OF_EVERY_ROUTE,
  refusal,
  shared,
  tooMany,
  unreadable,
  withFields,
} from './answers.js';
import { always, BEARER_CHALLENGE, COUNTED, MAYBE_COUNTED, WWW_AUTHENTICATE } from './fields.js';

/** What every one of these routes answers. */
const OF_ALL = {
  ...OF_EVERY_ROUTE,
  400: unreadable(MAYBE_COUNTED),
  413: refusal('The body is larger than 16 KiB.', ['body_too_large'], MAYBE_COUNTED),
  415: refusal('The body is not JSON in UTF-8, or is compressed.', ['unsupported_media_type'], COUNTED),
  422: json(
    'The body is invalid, or the new password breaks a rule; `errors` lists what is wrong.',
    'InvalidPassword',
    {
      detail: ERRORS.body_invalid.detail,
      reason: 'body_invalid',
      errors: [{ field: 'new_password', message: 'must have at least 15 characters', reason: 'too_short' }],
    },
    COUNTED,
  ),
  500: withFields('InternalError', MAYBE_COUNTED),
  503: withFields('Unavailable', MAYBE_COUNTED),
};

const LINK_INVALID = refusal(
  'The link is unknown, used, replaced or expired, or its user is deactivated or deleted.',
  ['link_invalid'],
  { ...COUNTED, 'WWW-Authenticate': always(WWW_AUTHENTICATE) },
);

/** Who has no session asks. */
const OF_NOBODY = {
  ...OF_ALL,
  403: shared('CrossSite'),
  429: tooMany(
    'Too many attempts from this IP address, or too many requests are waiting on this connection.',
    ['login_rate_limited'],
    MAYBE_COUNTED,
  ),
};

function changeRoute(): object {
  return {
    operationId: 'changePassword',
    summary: 'Change your own password',
    description: 'Ends every other session of the user. The session of the access token stays.',
    tags: ['passwords'],
    security: [{ accessToken: [] }],
    requestBody: bodyOf('PasswordChange'),
    responses: {
      ...OF_ALL,
      200: json('Changed.', 'PasswordChanged', { sessions_ended: 2 }, COUNTED),
      401: refusal('No valid access token of an active user.', NO_TOKEN, {
        ...COUNTED,
        'WWW-Authenticate': always(BEARER_CHALLENGE),
      }),
      403: refusal(
        'The current password is wrong, or the browser page has a foreign origin.',
        ['current_password_wrong', ...CROSS_SITE],
        MAYBE_COUNTED,
      ),
      429: tooMany(
        'Too many attempts from this IP address, the account is locked, or too many requests are waiting on this connection.',
        ['login_rate_limited', 'account_locked'],
        MAYBE_COUNTED,
      ),
    },
  };
}

function checkRoute(): object {
  return {
    operationId: 'checkPasswordLink',
    summary: 'Ask whether a link can still set a password',
    description: 'Uses nothing up. Every invalid link costs the same.',
    tags: ['passwords'],
    security: [],
    requestBody: bodyOf('LinkCheck'),
    responses: {
      ...OF_NOBODY,
      204: noBody('It can.', COUNTED),
      401: LINK_INVALID,
      422: invalidBody('token', 'must be a string'),
    },
  };
}

function redeemRoute(): object {
  return {
    operationId: 'redeemPasswordLink',
    summary: 'Set a password by a link',
    description: 'Uses the link up, unlocks the account and ends every session of the user. Logs nobody in.',
    tags: ['passwords'],
    security: [],
    requestBody: bodyOf('Redemption'),
    responses: { ...OF_NOBODY, 204: noBody('Set.', COUNTED), 401: LINK_INVALID },
  };
}

function forgotRoute(): object {
  return {
    operationId: 'forgotPassword',
    summary: 'Ask for a link to reset a password',
    description: 'Only if MAIL is on. Known and unknown e-mails are answered alike.',
    tags: ['passwords'],
    security: [],
    requestBody: bodyOf('ForgottenPassword'),
    responses: {
      ...OF_NOBODY,
      202: json('If the e-mail has an account, a link is mailed.', 'ResetRequested', { detail: ON_ITS_WAY }, COUNTED),
      404: refusal('MAIL is off.', ['not_found']),
      422: invalidBody('email', 'must be an e-mail address'),
    },
  };
}

export function passwordRoutes(): object {
  return {
    '/auth/password': { post: changeRoute() },
    '/auth/password/check': { post: checkRoute() },
    '/auth/password/redeem': { post: redeemRoute() },
    '/auth/password/forgot': { post: forgotRoute() },
  };
}
