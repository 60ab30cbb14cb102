/** Checks a new password, or generates one. Login does not apply these rules. (Interface 11 and 15) */
import { CURRENT_FAULT, MIN_PASSWORD_CHARACTERS, type PasswordFault } from '../credentials/passwords/password-rules.js';
import type { NewPasswords } from '../credentials/passwords/passwords.js';
import { AdminRefusal } from '../listing/refusal.js';
import { randomBase62 } from '../platform/ids.js';
import { isText } from '../platform/text.js';
import type { Deps } from '../services.js';

/** A command has no more than that of `Deps<'passwords'>`. */
export interface SetsPasswords {
  passwords: NewPasswords;
}

export const PASSWORD_RULE = `at least ${MIN_PASSWORD_CHARACTERS} characters`;

/**
 * @param email of the user
 * @throws {AdminRefusal}, or {Outage} if the breached passwords cannot be read
 */
export async function checkNewPassword(
  { passwordRules }: Deps<'passwordRules'>,
  password: string,
  email: string,
): Promise<void> {
  if (!isText(password)) {
    const message = 'The password must be valid Unicode text without NUL';
    throw new AdminRefusal('invalid_password', message, { argument: 'password' });
  }
  const fault = await passwordRules.faultOf(password, email);
  if (fault !== undefined) throw refused(fault);
}

/**
 * A caller who may set passwords could try guesses here. So nothing may be refused after this check: a wrong guess becomes the
 * password, which ends the sessions and is in the audit log.
 * @throws {AdminRefusal} if it is the current password
 */
export async function refuseCurrent(
  { passwords }: SetsPasswords,
  currentHash: string | null,
  password: string,
): Promise<void> {
  if (currentHash !== null && (await passwords.isCurrent(currentHash, password))) throw refused(CURRENT_FAULT);
}

/** 142 random bits */
export function generatePassword(): string {
  return randomBase62(24);
}

function refused({ reason, message }: PasswordFault): AdminRefusal {
  return new AdminRefusal(reason, `The password ${message}`, { argument: 'password' });
}
