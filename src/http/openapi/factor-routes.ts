/** OpenAPI of the second step of a login, of passkeys and confirmation, and of a user's own factors. (Interface 20) */
import type { RestReason } from '../refusals.js';
import { CROSS_SITE, GRANT, invalidBody, json, NO_TOKEN, noBody, refusal, tooMany } from './answers.js';
import { always, COOKIE_SET, COUNTED, MAYBE_COUNTED, NOT_COUNTED, OWN_CHALLENGE, WWW_AUTHENTICATE } from './fields.js';
import { ACCESS_TOKEN, countedRoute, FRESH, FROM_ADDRESS_OR_LOCKED, ownRoute } from './own-routes.js';

const ID = '01997a3e-5f0c-7cc3-9a4e-0d1b6c2f8a77';
const TOKEN = 'hqvZ4G1b8c0VdYf3o9tKx5mWn2LrJ7eQsPuRaTiYwE0';
const CODES = ['7ZQ3M-0V9KX-4T2H-NB8C-51WD-RJ6E'];

const REQUEST = json(
  'The options.',
  'PasskeyRequest',
  {
    ceremony: TOKEN,
    publicKey: { challenge: TOKEN, timeout: 300_000, rpId: 'auth.example.com', userVerification: 'required' },
  },
  COUNTED,
);

/** A refusal of a login, whose challenge says how to begin again. */
function loginRefusal(description: string, ...reasons: RestReason[]): object {
  return refusal(description, reasons, { ...COUNTED, 'WWW-Authenticate': always(WWW_AUTHENTICATE) });
}

function loggedIn(): object {
  return json('Logged in.', 'TokenResponse', GRANT, { ...COUNTED, 'Set-Cookie': always(COOKIE_SET) });
}

function ofLogins(): object {
  const refused = loginRefusal(
    'The code or the passkey is wrong, or the challenge is unknown, used, expired or ended.',
    'invalid_credentials',
    'challenge_invalid',
  );
  const limited = tooMany(FROM_ADDRESS_OR_LOCKED, ['login_rate_limited', 'account_locked'], MAYBE_COUNTED);
  return {
    '/auth/login/factor': {
      post: countedRoute('factors', {
        operationId: 'finishLogin',
        summary: 'Finish a login by a second factor',
        description:
          'The second step of a login whose password was right. A wrong code counts as a failed login of the account, and leaves ' +
          'the challenge alive. Starts a session as a login does.',
        body: 'FactorLogin',
        responses: {
          200: loggedIn(),
          401: refused,
          422: invalidBody('body', 'must have exactly one of code, recovery_code and credential'),
          429: limited,
        },
      }),
    },
    '/auth/login/passkey/options': {
      post: countedRoute('factors', {
        operationId: 'passkeyLoginOptions',
        summary: 'Get options for a passkey',
        description:
          'For a login by a passkey of anybody, or for the second step of the login that `challenge` belongs to.',
        body: 'PasskeyLoginOptions',
        responses: {
          200: REQUEST,
          401: loginRefusal('The challenge is unknown, used, expired or ended.', 'challenge_invalid'),
          422: invalidBody('challenge', 'must be a string'),
        },
      }),
    },
    '/auth/login/passkey': {
      post: countedRoute('factors', {
        operationId: 'logInByPasskey',
        summary: 'Log in by a passkey',
        description: 'Without a password. A wrong passkey does not count as a failed login of the account.',
        body: 'PasskeyLogin',
        responses: {
          200: loggedIn(),
          401: refused,
          422: invalidBody('ceremony', 'must be a string'),
          429: limited,
        },
      }),
    },
  };
}

function ofConfirmation(): object {
  const challenged = { ...COUNTED, 'WWW-Authenticate': always(OWN_CHALLENGE) };
  return {
    '/auth/confirm': {
      post: countedRoute(
        'factors',
        {
          operationId: 'confirm',
          summary: 'Confirm who you are',
          description:
            'By a factor if the user has one, otherwise by the password. The session and its cookie stay. A wrong password or code ' +
            'counts as a failed login of the account.',
          body: 'Confirmation',
          responses: {
            200: json('Confirmed.', 'TokenResponse', GRANT, COUNTED),
            401: refusal(
              'No valid access token of a session that goes on, or the ceremony is unknown, used or expired.',
              [...NO_TOKEN, 'challenge_invalid'],
              challenged,
            ),
            403: refusal(
              'The password, code or passkey is wrong; the user has a factor, so a password will not do; or the browser page has a foreign origin.',
              ['factor_wrong', 'second_factor_required', ...CROSS_SITE],
              MAYBE_COUNTED,
            ),
            422: invalidBody('body', 'must have exactly one of password, code and credential'),
            429: tooMany(FROM_ADDRESS_OR_LOCKED, ['login_rate_limited', 'account_locked'], MAYBE_COUNTED),
          },
        },
        ACCESS_TOKEN,
      ),
    },
    '/auth/confirm/options': {
      post: countedRoute(
        'factors',
        {
          operationId: 'confirmOptions',
          summary: 'Get options for one of your own passkeys',
          description: 'For `POST /auth/confirm`.',
          body: 'NoMembers',
          responses: {
            200: REQUEST,
            401: refusal('No valid access token of a session that goes on.', NO_TOKEN, challenged),
            404: refusal('The user has no passkey.', ['factor_unknown'], COUNTED),
            422: invalidBody('body', 'must be a JSON object'),
          },
        },
        ACCESS_TOKEN,
      ),
    },
  };
}

const FACTOR_ID = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
  example: ID,
};

function ofApps(): object {
  return {
    '/auth/factors/totp': {
      post: ownRoute('factors', {
        operationId: 'beginTotp',
        summary: 'Begin to add an authenticator app',
        description: `The secret counts once its first code has come, within 10 minutes. It replaces one that was begun before. ${FRESH}`,
        body: 'NoMembers',
        responses: {
          200: json(
            'The secret.',
            'NewTotp',
            {
              id: ID,
              secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
              uri: 'otpauth://totp/auth.example.com:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=auth.example.com&algorithm=SHA1&digits=6&period=30',
            },
            NOT_COUNTED,
          ),
          409: refusal('The user has an authenticator app.', ['totp_exists'], NOT_COUNTED),
        },
      }),
    },
    '/auth/factors/totp/{id}': {
      post: ownRoute(
        'factors',
        {
          parameters: [FACTOR_ID],
          operationId: 'activateTotp',
          summary: 'Add an authenticator app by its first code',
          description:
            'In the session that began it, which reaches `aal2`. Gives ten recovery codes with the first factor.',
          body: 'Code',
          responses: {
            200: json('Added.', 'RecoveryCodes', { recovery_codes: CODES }, NOT_COUNTED),
            403: refusal(
              'The code is wrong, or the browser page has a foreign origin.',
              ['factor_wrong', ...CROSS_SITE],
              MAYBE_COUNTED,
            ),
            409: refusal('The user has an authenticator app.', ['totp_exists'], NOT_COUNTED),
            422: invalidBody('code', 'must be a string', NOT_COUNTED),
          },
        },
        ['challenge_invalid'],
      ),
    },
  };
}

function ofPasskeys(): object {
  return {
    '/auth/factors/passkey/options': {
      post: ownRoute('factors', {
        operationId: 'beginPasskey',
        summary: 'Get options for a new passkey',
        description: FRESH,
        body: 'NoMembers',
        responses: {
          200: json(
            'The options.',
            'PasskeyCreation',
            {
              ceremony: TOKEN,
              publicKey: {
                challenge: TOKEN,
                rp: { id: 'auth.example.com', name: 'auth.example.com' },
                user: { id: 'mB3yRrXK0mC7b5tT1uYw8g', name: 'ada@example.com', displayName: 'ada@example.com' },
                pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
                attestation: 'none',
              },
            },
            NOT_COUNTED,
          ),
          409: refusal('The user has 10 passkeys.', ['too_many_passkeys'], NOT_COUNTED),
        },
      }),
    },
    '/auth/factors/passkey': {
      post: ownRoute(
        'factors',
        {
          operationId: 'addPasskey',
          summary: 'Add a passkey',
          description: `The session reaches \`aal2\`. Gives ten recovery codes with the first factor. ${FRESH}`,
          body: 'NewPasskey',
          responses: {
            200: json('Added.', 'PasskeyAdded', { id: ID, recovery_codes: CODES }, NOT_COUNTED),
            403: refusal(
              'The passkey is not as it must be, or the browser page has a foreign origin.',
              ['factor_wrong', ...CROSS_SITE],
              MAYBE_COUNTED,
            ),
            409: refusal(
              'The passkey has been added before, or the user has 10.',
              ['passkey_exists', 'too_many_passkeys'],
              NOT_COUNTED,
            ),
            422: invalidBody('name', 'must not be empty', NOT_COUNTED),
          },
        },
        ['confirmation_required', 'challenge_invalid'],
      ),
    },
  };
}

function ofRecovery(): object {
  return {
    '/auth/factors/recovery-codes': {
      post: ownRoute('factors', {
        operationId: 'renewRecoveryCodes',
        summary: 'Get new recovery codes',
        description: `The old ones end. ${FRESH}`,
        body: 'NoMembers',
        responses: {
          200: json('Ten new ones.', 'RecoveryCodes', { recovery_codes: CODES }, NOT_COUNTED),
          404: refusal('The user has no factor.', ['factor_unknown'], NOT_COUNTED),
        },
      }),
    },
    '/auth/factors/{id}': {
      delete: ownRoute('factors', {
        parameters: [FACTOR_ID],
        operationId: 'removeFactor',
        summary: 'Remove an authenticator app or a passkey',
        description: `With the last one the recovery codes end. ${FRESH}`,
        responses: {
          204: noBody('Removed.', NOT_COUNTED),
          404: refusal('The user has no such factor.', ['factor_unknown'], NOT_COUNTED),
        },
      }),
    },
  };
}

export function factorRoutes(): object {
  return { ...ofLogins(), ...ofConfirmation(), ...ofApps(), ...ofPasskeys(), ...ofRecovery() };
}
