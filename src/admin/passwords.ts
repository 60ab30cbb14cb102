/** Interface 11 and NIST SP 800-63B-4: rules for a new password. Login does not apply them. */
import { isShortEnough, MAX_PASSWORD_BYTES } from '../credentials/passwords/password-text.js';
import { AdminRefusal } from '../listing/refusal.js';
import { randomBase62 } from '../platform/ids.js';
import { isText } from '../platform/text.js';

const MIN_CHARACTERS = 15;

export const PASSWORD_RULE = `at least ${MIN_CHARACTERS} characters`;

/** @throws {AdminRefusal} */
export function checkNewPassword(password: string): void {
  if ([...password].length < MIN_CHARACTERS) {
    throw refused(`The password must have ${PASSWORD_RULE}`);
  }
  if (!isShortEnough(password)) {
    throw refused(`The password must have at most ${MAX_PASSWORD_BYTES} bytes`);
  }
  if (!isText(password)) {
    throw refused('The password must be valid Unicode text without NUL');
  }
}

/** 142 random bits */
export function generatePassword(): string {
  return randomBase62(24);
}

function refused(message: string): AdminRefusal {
  return new AdminRefusal('invalid_password', message, { argument: 'password' });
}
