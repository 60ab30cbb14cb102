/** JSON Schemas of bodies: the login request from its validator, responses from Spec 2 and Interface 10. */
import * as z from 'zod';
import { ASSURANCE_LEVELS, AUTHENTICATION_METHODS } from '../../domain/assurance.js';
import { FACTORS } from '../../domain/factors.js';
import { ROLES } from '../../domain/roles.js';
import { emailBody, emailLinkBody } from '../account-bodies.js';
import { EMAIL_ON_ITS_WAY, LOGGED_OUT, ON_ITS_WAY } from '../answer-texts.js';
import {
  codeBody,
  confirmBody,
  factorLoginBody,
  newPasskeyBody,
  noMembers,
  passkeyLoginBody,
  passkeyOptionsBody,
} from '../factor-bodies.js';
import { loginBody } from '../login-body.js';
import { changeBody, checkBody, forgotBody, redeemBody } from '../password-bodies.js';
import { ERRORS } from '../refusals.js';

const closed = { type: 'object', additionalProperties: false };

/** Without what applies only after normalisation, and without forbidding unknown members, which are ignored. */
function requestOf(body: z.ZodType, example: object): object {
  const { $schema: _, ...schema } = z.toJSONSchema(body, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (jsonSchema.pattern === undefined) return;
      delete jsonSchema.pattern;
      jsonSchema.format = 'email';
    },
  });
  return { ...schema, examples: [example] };
}

const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'eleven teal otters juggle';

const CHECKS = {
  ...closed,
  description: '`ok`, or one word for what is wrong. `redis` is there if it is configured',
  required: ['database', 'clock'],
  properties: {
    database: { type: 'string', pattern: '^[a-z_]+$' },
    clock: { enum: ['ok', 'skewed', 'unknown'] },
    redis: { enum: ['ok', 'unreachable', 'forbidden', 'read_only', 'full'] },
  },
};

const CLOCKS = {
  ...closed,
  description:
    'Only if `clock` is `skewed`: both clocks, in words for operators. One instance cannot know which is wrong',
  required: ['here', 'database', 'ahead_seconds', 'meaning'],
  properties: {
    here: { type: 'string', format: 'date-time' },
    database: { type: 'string', format: 'date-time' },
    ahead_seconds: {
      type: 'number',
      description: 'How far the clock here is ahead of that of the database; negative if it is behind',
    },
    meaning: { type: 'string', description: 'The difference, and how to find out whose clock is wrong' },
  },
};

const METADATA = {
  issuer: { type: 'string', format: 'uri' },
  jwks_uri: { type: 'string', format: 'uri' },
  introspection_endpoint: { type: 'string', format: 'uri' },
  response_types_supported: { type: 'array', maxItems: 0 },
  grant_types_supported: { type: 'array', maxItems: 0 },
  token_endpoint_auth_methods_supported: { type: 'array', maxItems: 0 },
  scopes_supported: { type: 'array', items: { type: 'string' } },
  service_documentation: { type: 'string', format: 'uri' },
};
const OPENID_METADATA = {
  ...METADATA,
  subject_types_supported: { const: ['public'] },
  id_token_signing_alg_values_supported: { type: 'array', items: { enum: ['EdDSA', 'Ed25519', 'ES256', 'RS256'] } },
};

export const STATE = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const PASSKEY_TOKEN = 'hqvZ4G1b8c0VdYf3o9tKx5mWn2LrJ7eQsPuRaTiYwE0';
const CREDENTIAL = {
  id: 'AQIDBAUGBwgJCgsMDQ4PEA',
  rawId: 'AQIDBAUGBwgJCgsMDQ4PEA',
  type: 'public-key',
  clientExtensionResults: {},
  response: {},
};
const CEREMONY = {
  type: 'string',
  pattern: '^[\\w-]{43}$',
  description: 'Goes back with the answer of the authenticator: once, within 5 minutes',
};
const RECOVERY_CODES = {
  type: 'array',
  maxItems: 10,
  items: { type: 'string', pattern: '^[0-9A-Z]{5}(-[0-9A-Z]{4,5}){5}$' },
  description: 'Shown once',
};

/** Options of a browser, as JSON. */
function optionsOf(name: string, required: string[]): object {
  return {
    type: 'object',
    description: `\`${name}\` (WebAuthn Level 3 section 5.1.9), for \`PublicKeyCredential.parse…OptionsFromJSON\``,
    required,
  };
}

const allOf = (properties: object): object => ({ ...closed, required: Object.keys(properties), properties });

const LIST = { type: 'array', items: { type: 'object' } };
const NULLABLE = { type: ['object', 'null'] };
const ACCOUNT_DATA = allOf({
  exported_at: { type: 'string', format: 'date-time' },
  id: { type: 'string', format: 'uuid' },
  user: { type: 'object' },
  emails: { type: 'array', items: { type: 'string' }, description: 'Present and former ones' },
  password_link: NULLABLE,
  requested_link: NULLABLE,
  email_change: NULLABLE,
  email_undos: { ...LIST, description: 'Former e-mails that can take a change back' },
  known_devices: LIST,
  factors: LIST,
  recovery_codes: { type: 'integer', minimum: 0, description: 'Number of unused ones' },
  sessions: { ...LIST, description: 'Each with its `refresh_tokens`' },
  events: { ...LIST, description: 'About the user' },
  events_as_operator: { ...LIST, description: 'Changes that the user made to others' },
  failed_logins: { ...LIST, description: 'With an e-mail of the user that nobody had at that time' },
});

const ACTIVE = {
  active: { const: true },
  sub: { type: 'string', format: 'uuid' },
  sid: { type: 'string', format: 'uuid', description: 'The session' },
  role: { enum: ROLES },
  scope: { type: 'string', description: 'Absent if there is none' },
  client_id: { const: 'auth-gateway' },
  token_type: { const: 'Bearer' },
  iss: { type: 'string', format: 'uri' },
  aud: { type: 'string' },
  iat: { type: 'integer' },
  exp: { type: 'integer' },
  auth_time: { type: 'integer', description: 'Of the latest proof of the session' },
  amr: { type: 'array', items: { enum: AUTHENTICATION_METHODS } },
  acr: { enum: ASSURANCE_LEVELS },
};
const ACTIVE_NEEDS = Object.keys(ACTIVE).filter((name) => name !== 'scope');

export function schemas(): Record<string, object> {
  return {
    LoginRequest: requestOf(loginBody, { email: 'ada@example.com', password: PASSWORD }),
    PasswordChange: requestOf(changeBody, { current_password: PASSWORD, new_password: NEW_PASSWORD }),
    Redemption: requestOf(redeemBody, { token: 'pl_…', new_password: NEW_PASSWORD }),
    LinkCheck: requestOf(checkBody, { token: 'pl_…' }),
    FactorLogin: requestOf(factorLoginBody, { challenge: PASSKEY_TOKEN, code: '123456' }),
    PasskeyLoginOptions: requestOf(passkeyOptionsBody, {}),
    PasskeyLogin: requestOf(passkeyLoginBody, { ceremony: PASSKEY_TOKEN, credential: CREDENTIAL }),
    Confirmation: requestOf(confirmBody, { code: '123456' }),
    NewPasskey: requestOf(newPasskeyBody, { ceremony: PASSKEY_TOKEN, credential: CREDENTIAL, name: 'Laptop' }),
    Code: requestOf(codeBody, { code: '123456' }),
    NoMembers: requestOf(noMembers, {}),
    HalfLogin: allOf({
      detail: { const: ERRORS.second_factor_required.detail },
      reason: { const: 'second_factor_required' },
      challenge: { type: 'string', pattern: '^[\\w-]{43}$', description: 'Goes back with the second step' },
      factors: { type: 'array', minItems: 1, items: { enum: FACTORS }, description: 'What the user has' },
      expires_in: { type: 'integer', minimum: 1, description: 'Seconds until the challenge expires' },
    }),
    PasskeyRequest: allOf({
      ceremony: CEREMONY,
      publicKey: optionsOf('PublicKeyCredentialRequestOptionsJSON', ['challenge', 'rpId', 'userVerification']),
    }),
    PasskeyCreation: allOf({
      ceremony: CEREMONY,
      publicKey: optionsOf('PublicKeyCredentialCreationOptionsJSON', ['challenge', 'rp', 'user', 'pubKeyCredParams']),
    }),
    NewTotp: allOf({
      id: { type: 'string', format: 'uuid' },
      secret: { type: 'string', pattern: '^[A-Z2-7]{32}$', description: 'Base32' },
      uri: { type: 'string', pattern: '^otpauth://totp/', description: 'For a QR code' },
    }),
    RecoveryCodes: allOf({ recovery_codes: RECOVERY_CODES }),
    PasskeyAdded: allOf({ id: { type: 'string', format: 'uuid' }, recovery_codes: RECOVERY_CODES }),
    ForgottenPassword: requestOf(forgotBody, { email: 'ada@example.com' }),
    ResetRequested: allOf({ detail: { const: ON_ITS_WAY } }),
    NewEmail: requestOf(emailBody, { email: 'ada@example.org' }),
    EmailLink: requestOf(emailLinkBody, { token: 'el_…' }),
    EmailChangeRequested: allOf({ detail: { const: EMAIL_ON_ITS_WAY } }),
    EmailChanged: allOf({ email: { type: 'string', format: 'email' } }),
    AccountData: ACCOUNT_DATA,
    TokenResponse: allOf({
      access_token: { type: 'string', description: 'A JWT (RFC 9068)', pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' },
      token_type: { const: 'bearer' },
      expires_in: { type: 'integer', minimum: 1, description: 'Seconds until the access token expires' },
    }),
    LogoutResponse: allOf({ message: { const: LOGGED_OUT } }),
    Error: {
      type: 'object',
      description: 'Decide by the status, and by `reason` if the status has several. `detail` is for people.',
      required: ['detail', 'reason'],
      properties: { detail: { type: 'string' }, reason: { type: 'string', pattern: '^[a-z_]+$' } },
    },
    InvalidBody: allOf({
      detail: { const: ERRORS.body_invalid.detail },
      reason: { const: 'body_invalid' },
      errors: {
        type: 'array',
        minItems: 1,
        items: allOf({
          field: {
            enum: [
              ...['email', 'password', 'token', 'challenge', 'code', 'recovery_code', 'ceremony', 'credential', 'name'],
              ...['origin', 'target', 'state'],
              'body',
            ],
          },
          message: {
            type: 'string',
            description: 'What is wrong with the field. Never repeats the value that was sent',
          },
        }),
      },
    }),
    PasswordChanged: allOf({
      sessions_ended: { type: 'integer', minimum: 0, description: 'Number of other sessions of the user that ended' },
    }),
    InvalidPassword: allOf({
      detail: { const: ERRORS.body_invalid.detail },
      reason: { const: 'body_invalid' },
      errors: {
        type: 'array',
        minItems: 1,
        items: {
          ...closed,
          required: ['field', 'message'],
          properties: {
            field: { enum: ['current_password', 'new_password', 'token', 'body'] },
            message: { type: 'string', description: 'What is wrong. Never repeats the value that was sent' },
            reason: {
              enum: ['too_short', 'too_long', 'current', 'context', 'common', 'breached'],
              description: 'The rule that the new password breaks',
            },
          },
        },
      },
    }),
    WayBackRequest: {
      type: 'object',
      required: ['origin', 'target', 'state'],
      properties: {
        origin: { type: 'string', description: 'One of `FORWARD_AUTH_ORIGINS`' },
        target: { type: 'string', maxLength: 2048, description: 'Path and query there' },
        state: { type: 'string', pattern: '^[\\w-]{43}$', description: 'Of the address of `/gate`' },
      },
      examples: [{ origin: 'https://app.example.com', target: '/', state: STATE }],
    },
    WayBack: allOf({ location: { type: 'string', format: 'uri-reference' } }),
    IntrospectionRequest: {
      type: 'object',
      required: ['token'],
      properties: { token: { type: 'string', minLength: 1, description: 'Once. Other fields are ignored' } },
      examples: [{ token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln' }],
    },
    Introspection: {
      anyOf: [allOf({ active: { const: false } }), { ...allOf(ACTIVE), required: ACTIVE_NEEDS }],
    },
    CallerRefused: {
      ...closed,
      required: ['detail', 'reason'],
      properties: {
        detail: { type: 'string' },
        reason: { type: 'string', pattern: '^[a-z_]+$' },
        server_time: { type: 'string', format: 'date-time', description: 'Of `signature_expired`' },
        signature_base: { type: 'string', description: 'Of `invalid_signature`: the text to be signed' },
      },
    },
    Live: allOf({ status: { const: 'ok' } }),
    Ready: allOf({ status: { const: 'ok' }, checks: CHECKS }),
    NotReady: {
      ...closed,
      required: ['detail', 'reason', 'status', 'checks'],
      properties: {
        detail: { type: 'string' },
        reason: { const: 'unavailable' },
        status: { const: 'unavailable' },
        checks: CHECKS,
        clocks: CLOCKS,
      },
    },
    Jwks: allOf({
      keys: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          description: 'A public key (RFC 7517)',
          required: ['kty', 'kid', 'use', 'alg'],
          properties: {
            kty: { enum: ['OKP', 'EC', 'RSA'] },
            kid: { type: 'string' },
            use: { const: 'sig' },
            alg: { type: 'string' },
            d: false,
          },
        },
      },
    }),
    ServerMetadata: allOf(METADATA),
    OpenidConfiguration: allOf(OPENID_METADATA),
  };
}
