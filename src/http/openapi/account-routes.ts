/** OpenAPI of the routes by which people change their e-mail, get what is stored about them, and leave. (Interface 21) */
import { EMAIL_ON_ITS_WAY } from '../answer-texts.js';
import { invalidBody, json, noBody, refusal } from './answers.js';
import { always, COOKIE_CLEARED, COUNTED, DOWNLOAD, NOT_COUNTED, WWW_AUTHENTICATE } from './fields.js';
import { countedRoute, FRESH, ownRoute } from './own-routes.js';

const OFF = { 404: refusal('`ACCOUNT` is `off`.', ['not_found']) };
const MAIL_OFF = { 404: refusal('`ACCOUNT` or `MAIL` is `off`.', ['not_found']) };

function ofEmail(): object {
  return {
    '/auth/email': {
      post: ownRoute('account', {
        operationId: 'requestEmailChange',
        summary: 'Begin to change your own e-mail',
        description:
          'Mails a link to the new address, unless that is taken; the answer is the same. The link works for 30 minutes, and ends ' +
          `one that was asked for before. ${FRESH}`,
        body: 'NewEmail',
        responses: {
          ...MAIL_OFF,
          202: json('Accepted.', 'EmailChangeRequested', { detail: EMAIL_ON_ITS_WAY }, NOT_COUNTED),
          422: invalidBody('email', 'must be an e-mail address', NOT_COUNTED),
        },
      }),
    },
    '/auth/email/redeem': {
      post: ownRoute(
        'account',
        {
          operationId: 'redeemEmailChange',
          summary: 'Change your own e-mail by the link to the new address',
          description: 'For the user who asked. Sessions stay. The old address gets a link that takes the change back.',
          body: 'EmailLink',
          responses: {
            ...MAIL_OFF,
            200: json('Changed.', 'EmailChanged', { email: 'ada@example.org' }, NOT_COUNTED),
            409: refusal(
              'Another user has the address by now, or had it within 72 hours. The link stays.',
              ['email_taken'],
              NOT_COUNTED,
            ),
            422: invalidBody('token', 'must be a string', NOT_COUNTED),
          },
        },
        ['link_invalid'],
      ),
    },
    '/auth/email/undo': {
      post: countedRoute('account', {
        operationId: 'undoEmailChange',
        summary: 'Take back a change of an e-mail by the link to the old address',
        description:
          'Within 72 hours. Ends every session, device, link and half login of the user and the password, and mails a link for a new one.',
        body: 'EmailLink',
        responses: {
          ...MAIL_OFF,
          204: noBody('The old address is the e-mail again.', COUNTED),
          401: refusal('The link is unknown, used, ended or expired, or its user is deactivated.', ['link_invalid'], {
            ...COUNTED,
            'WWW-Authenticate': always(WWW_AUTHENTICATE),
          }),
          409: refusal('Another user has the old address. The link stays.', ['email_taken'], COUNTED),
          422: invalidBody('token', 'must be a string'),
        },
      }),
    },
  };
}

const EXPORT_FIELDS = { ...NOT_COUNTED, 'Content-Disposition': always(DOWNLOAD) };

export function accountRoutes(): object {
  return {
    ...ofEmail(),
    '/auth/account/export': {
      get: ownRoute('account', {
        operationId: 'exportAccount',
        summary: 'Download what is stored about you',
        description: `What the command \`user export\` prints, without secrets and hashes. ${FRESH}`,
        responses: { ...OFF, 200: json('The data.', 'AccountData', ACCOUNT_DATA, EXPORT_FIELDS) },
      }),
    },
    '/auth/account': {
      delete: ownRoute('account', {
        operationId: 'deleteAccount',
        summary: 'Delete your own account',
        description: `Ends every session, and replaces what names you in the audit log. ${FRESH}`,
        responses: {
          ...OFF,
          204: noBody('Deleted.', { ...NOT_COUNTED, 'Set-Cookie': always(COOKIE_CLEARED) }),
          409: refusal('No other administrator could log in.', ['last_administrator'], NOT_COUNTED),
        },
      }),
    },
  };
}

const ACCOUNT_DATA = {
  exported_at: '2026-11-27T12:00:00.000Z',
  id: '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77',
  user: { email: 'ada@example.com', role: 'viewer', is_active: true },
  emails: ['ada@example.com'],
  password_link: null,
  requested_link: null,
  email_change: null,
  email_undos: [],
  known_devices: [],
  factors: [],
  recovery_codes: 0,
  sessions: [],
  events: [],
  events_as_operator: [],
  failed_logins: [],
};
