/** Interface 11 and NIST SP 800-63B-4: what a password must be when it is set. Login never applies this. */
import { isShortEnough, MAX_PASSWORD_BYTES } from '../credentials/passwords/password-text.js';
import { AdminRefusal } from '../listing/refusal.js';
import { randomBase62 } from '../platform/ids.js';
import { isText } from '../platform/text.js';

const MIN_CHARACTERS = 15;

/** For whoever is to choose one. */
export const PASSWORD_RULE = `at least ${MIN_CHARACTERS} characters`;

/** @throws {AdminRefusal} */
export function checkNewPassword(password: string): void {
  if ([...password].length < MIN_CHARACTERS) {
    throw refused(`A password has ${PASSWORD_RULE}`);
  }
  if (!isShortEnough(password)) {
    throw refused(`A password has at most ${MAX_PASSWORD_BYTES} bytes`);
  }
  if (!isText(password)) {
    throw refused('A password is text without NUL');
  }
}

/** A password nobody has to remember: 142 bits. */
export function generatePassword(): string {
  return randomBase62(24);
}

function refused(message: string): AdminRefusal {
  return new AdminRefusal('invalid_password', message, { argument: 'password' });
}
