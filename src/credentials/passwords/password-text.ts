/** The limit of every password, at login and when it is set. (Interface 5) */

/** In UTF-8. Longer ones are refused, never truncated (OWASP ASVS 6.2.8). */
export const MAX_PASSWORD_BYTES = 1024;

export function isShortEnough(password: string): boolean {
  return Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
}
