/**
 * The bodies of the routes that set a password. The rules of passwords are in
 * `credentials/passwords/password-rules.ts`. (Interface 15)
 */
import * as z from 'zod';
import type { PasswordChange } from '../auth/change-password.js';
import type { Redemption } from '../auth/redeem-link.js';
import { MAX_PASSWORD_BYTES } from '../credentials/passwords/password-text.js';
import { emailSchema } from '../domain/email.js';
import { isText } from '../platform/text.js';
import { passwordSchema } from './login-body.js';

const newPassword = z
  .string('must be a string')
  .refine(isText, 'must be text without NUL')
  .meta({
    description: `At least 15 characters, at most ${MAX_PASSWORD_BYTES} bytes of UTF-8, and none that is easy to guess`,
    format: 'password',
    minLength: 15,
    maxLength: MAX_PASSWORD_BYTES,
  });

const UNKNOWN_MEMBERS = { description: 'Unknown members are ignored.' };

export const changeBody: z.ZodType<PasswordChange, unknown> = z
  .object(
    {
      current_password: passwordSchema.meta({ format: 'password' }),
      new_password: newPassword,
    } satisfies Record<keyof PasswordChange, z.ZodType>,
    'must be a JSON object',
  )
  .meta(UNKNOWN_MEMBERS);

const linkToken = z.string('must be a string').meta({ description: 'What follows `#token=` in the link' });

export const checkBody: z.ZodType<{ token: string }, unknown> = z
  .object({ token: linkToken }, 'must be a JSON object')
  .meta(UNKNOWN_MEMBERS);

export const redeemBody: z.ZodType<Redemption, unknown> = z
  .object(
    {
      token: linkToken,
      new_password: newPassword,
    } satisfies Record<keyof Redemption, z.ZodType>,
    'must be a JSON object',
  )
  .meta(UNKNOWN_MEMBERS);

export const forgotBody: z.ZodType<{ email: string }, unknown> = z
  .object({ email: emailSchema }, 'must be a JSON object')
  .meta(UNKNOWN_MEMBERS);
