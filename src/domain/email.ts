/** An e-mail address, normalised before any comparison. (Spec 2.1) */
import * as z from 'zod';

/** Local part: a dot-string (RFC 5321 section 4.1.2) of at most 64. Domain: two labels or more. */
const EMAIL =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Stripped and lowercased. */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Normalised, then checked. */
export const emailSchema = z
  .string('must be a string')
  .transform(normaliseEmail)
  .pipe(z.string().max(254, 'must have at most 254 characters').regex(EMAIL, 'must be an e-mail address'));
