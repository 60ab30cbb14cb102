/** The body of `POST /auth/login`. (Spec 2.1) */
import * as z from 'zod';
import type { Credentials } from '../auth/login.js';
import { isShortEnough, MAX_PASSWORD_BYTES } from '../credentials/passwords/password-text.js';
import { emailSchema } from '../domain/email.js';
import { isText } from '../platform/text.js';

export const passwordSchema = z
  .string('must be a string')
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .refine(isShortEnough, `must have at most ${MAX_PASSWORD_BYTES} bytes`)
      .refine(isText, 'must be text without NUL'),
  );

export const loginBody: z.ZodType<Credentials, unknown> = z
  .object(
    {
      email: emailSchema.meta({ description: 'White space around it and capitals do not count.' }),
      password: passwordSchema.meta({
        description: `At most ${MAX_PASSWORD_BYTES} bytes of UTF-8, without NUL`,
        format: 'password',
        maxLength: MAX_PASSWORD_BYTES,
      }),
    } satisfies Record<keyof Credentials, z.ZodType>,
    'must be a JSON object',
  )
  .meta({ description: 'Unknown members are ignored.' });
