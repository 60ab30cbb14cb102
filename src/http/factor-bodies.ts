/** The bodies of the routes of second factors. What a passkey says is read where it is checked. (Interface 20) */
import * as z from 'zod';
import type { Confirmation } from '../auth/factors/confirm.js';
import type { NewPasskey } from '../auth/factors/enrol.js';
import type { Presented } from '../auth/factors/login.js';
import { MAX_FACTOR_NAME } from '../domain/factors.js';
import { isText } from '../platform/text.js';
import { passwordSchema } from './login-body.js';

/** Characters. Codes are typed by people, so spaces and hyphens count. */
const MAX_CODE = 100;

const token = z.string('must be a string').min(1, 'must not be empty').max(200, 'must have at most 200 characters');
const challenge = token.meta({ description: 'Of the answer to `POST /auth/login`' });
const ceremony = token.meta({ description: 'Of the answer with the options' });
const code = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(MAX_CODE, `must have at most ${MAX_CODE} characters`)
  .meta({ description: 'Six digits of the authenticator app' });
const recoveryCode = code.meta({ description: 'One of the ten; hyphens, spaces and capitals do not count' });
const credential = z
  .looseObject({}, 'must be a JSON object')
  .meta({ description: 'What `toJSON()` of the `PublicKeyCredential` gives (WebAuthn Level 3)' });

const OBJECT = 'must be a JSON object';
const UNKNOWN_MEMBERS = { description: 'Unknown members are ignored.' };

/** Exactly one of these members says how the user proves who they are. */
function oneOf(...names: string[]) {
  return (body: object): boolean => names.filter((name) => name in body).length === 1;
}

/** The same for `openapi.json`. */
function described(...members: string[][]) {
  return { ...UNKNOWN_MEMBERS, oneOf: members.map((required) => ({ required })) };
}

export const factorLoginBody: z.ZodType<{ challenge: string } & Presented, unknown> = z
  .object(
    { challenge, code: code.optional(), recovery_code: recoveryCode.optional(), credential: credential.optional() },
    OBJECT,
  )
  .refine(oneOf('code', 'recovery_code', 'credential'), 'must have exactly one of code, recovery_code and credential')
  .meta(described(['code'], ['recovery_code'], ['credential'])) as z.ZodType<
  { challenge: string } & Presented,
  unknown
>;

export const confirmBody: z.ZodType<Confirmation, unknown> = z
  .object(
    {
      password: passwordSchema.optional(),
      code: code.optional(),
      ceremony: ceremony.optional(),
      credential: credential.optional(),
    },
    OBJECT,
  )
  .refine(oneOf('password', 'code', 'credential'), 'must have exactly one of password, code and credential')
  .refine((body) => 'credential' in body === 'ceremony' in body, 'must have ceremony and credential together')
  .meta(described(['password'], ['code'], ['ceremony', 'credential'])) as z.ZodType<Confirmation, unknown>;

export const passkeyOptionsBody: z.ZodType<{ challenge?: string | undefined }, unknown> = z
  .object({ challenge: challenge.optional() }, OBJECT)
  .meta(UNKNOWN_MEMBERS);

export const passkeyLoginBody: z.ZodType<{ ceremony: string; credential: unknown }, unknown> = z
  .object({ ceremony, credential }, OBJECT)
  .meta(UNKNOWN_MEMBERS);

export const codeBody: z.ZodType<{ code: string }, unknown> = z.object({ code }, OBJECT).meta(UNKNOWN_MEMBERS);

export const newPasskeyBody: z.ZodType<NewPasskey, unknown> = z
  .object(
    {
      ceremony,
      credential,
      name: z
        .string('must be a string')
        .trim()
        .min(1, 'must not be empty')
        .refine((name) => [...name].length <= MAX_FACTOR_NAME, `must have at most ${MAX_FACTOR_NAME} characters`)
        .refine(isText, 'must be text without NUL')
        .meta({ description: 'What the user calls it' }),
    },
    OBJECT,
  )
  .meta(UNKNOWN_MEMBERS);

/** A body that says nothing: `{}`, or none. */
export const noMembers: z.ZodType<object, unknown> = z.object({}, OBJECT).meta(UNKNOWN_MEMBERS);
