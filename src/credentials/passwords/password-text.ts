/** What every password is, old or new (Interface 5): login and the setting of passwords agree on it. */

/** Of UTF-8; nothing is cut off (OWASP ASVS 6.2.8). */
export const MAX_PASSWORD_BYTES = 1024;

export function isShortEnough(password: string): boolean {
  return Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
}
