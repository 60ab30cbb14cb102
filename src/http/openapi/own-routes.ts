/** OpenAPI of what the routes by which users act on what is their own have in common. (Interface 20 and 21) */
import type { RestReason } from '../refusals.js';
import {
  bodyOf,
  invalidBody,
  NO_TOKEN,
  OF_EVERY_ROUTE,
  refusal,
  shared,
  tooMany,
  unreadable,
  withFields,
} from './answers.js';
import { always, COUNTED, MAYBE_COUNTED, NOT_COUNTED, OWN_CHALLENGE } from './fields.js';

type Tag = 'account' | 'factors';

interface Route {
  operationId: string;
  summary: string;
  description: string;
  parameters?: object[];
  /** Name of the schema of its body */
  body: string;
  responses: Record<number, object>;
}

const FROM_ADDRESS = 'Too many attempts from this IP address, or too many requests are waiting on this connection.';
export const FROM_ADDRESS_OR_LOCKED =
  'Too many attempts from this IP address, the account is locked, or too many requests are waiting on this connection.';

/** What each route answers that counts for the login limit. */
export function countedRoute(tag: Tag, { body, responses, ...about }: Route, security: object[] = []): object {
  return {
    ...about,
    tags: [tag],
    security,
    requestBody: bodyOf(body),
    responses: {
      ...OF_EVERY_ROUTE,
      400: unreadable(MAYBE_COUNTED),
      403: shared('CrossSite'),
      413: refusal('The body is larger than 16 KiB.', ['body_too_large'], MAYBE_COUNTED),
      415: refusal('The body is not JSON in UTF-8, or is compressed.', ['unsupported_media_type'], COUNTED),
      429: tooMany(FROM_ADDRESS, ['login_rate_limited'], MAYBE_COUNTED),
      500: withFields('InternalError', MAYBE_COUNTED),
      503: withFields('Unavailable', MAYBE_COUNTED),
      ...responses,
    },
  };
}

export const ACCESS_TOKEN = [{ accessToken: [] }];

/** `max_age` of the challenge is 300. */
export const FRESH =
  'Needs a proof of the last 300 seconds, by a factor if the user has one: otherwise confirm, then repeat. Counts for the login ' +
  'limit only without a valid access token.';

/**
 * What each route answers that is for users alone, about what is their own.
 * @param refusals 401s next to those of the token
 */
export function ownRoute(
  tag: Tag,
  { body, responses, ...about }: Omit<Route, 'body'> & { body?: string },
  refusals: RestReason[] = ['confirmation_required'],
): object {
  const ofBody = {
    400: unreadable(MAYBE_COUNTED),
    413: refusal('The body is larger than 16 KiB.', ['body_too_large'], MAYBE_COUNTED),
    415: refusal('The body is not JSON in UTF-8, or is compressed.', ['unsupported_media_type'], NOT_COUNTED),
    422: invalidBody('body', 'must be a JSON object', NOT_COUNTED),
  };
  return {
    ...about,
    tags: [tag],
    security: ACCESS_TOKEN,
    ...(body !== undefined && { requestBody: bodyOf(body) }),
    responses: {
      ...OF_EVERY_ROUTE,
      ...(body === undefined ? { 413: withFields('BodyTooLarge', MAYBE_COUNTED) } : ofBody),
      401: refusal(
        'No valid access token of a session that goes on, a proof that is too old, or a challenge or link that is unknown, used or expired.',
        [...NO_TOKEN, ...refusals],
        { ...MAYBE_COUNTED, 'WWW-Authenticate': always(OWN_CHALLENGE) },
      ),
      403: shared('CrossSite'),
      429: tooMany(FROM_ADDRESS, ['login_rate_limited'], MAYBE_COUNTED),
      500: withFields('InternalError', MAYBE_COUNTED),
      503: withFields('Unavailable', MAYBE_COUNTED),
      ...responses,
    },
  };
}
