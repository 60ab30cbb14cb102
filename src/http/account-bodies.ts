/** The bodies of the routes of one's own account. (Interface 21) */
import * as z from 'zod';
import { emailSchema } from '../domain/email.js';

const UNKNOWN_MEMBERS = { description: 'Unknown members are ignored.' };

export const emailBody: z.ZodType<{ email: string }, unknown> = z
  .object({ email: emailSchema }, 'must be a JSON object')
  .meta(UNKNOWN_MEMBERS);

export const emailLinkBody: z.ZodType<{ token: string }, unknown> = z
  .object(
    { token: z.string('must be a string').meta({ description: 'What follows `#email=` or `#undo=` in the link' }) },
    'must be a JSON object',
  )
  .meta(UNKNOWN_MEMBERS);
