/** The form in which a new password is compared with what is easily guessed. It is hashed as typed. */

/** NFKC makes one of look-alikes such as full-width letters (NIST SP 800-63B-4, 3.1.1.2). */
export function normalise(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
