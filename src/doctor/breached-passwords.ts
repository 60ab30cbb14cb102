/** Interface 9 and 15, `doctor`: whether the breached passwords can be read, as a start would. */
import { openBreachedPasswords } from '../credentials/passwords/breached-passwords.js';
import { BreachedPasswordsError } from '../credentials/passwords/breached-passwords-error.js';
import { type Finding, fault, ok } from './finding.js';
import type { Surroundings } from './surroundings.js';

export async function checkBreachedPasswords({ config }: Surroundings): Promise<Finding[]> {
  const path = config.breachedPasswords;
  if (path === undefined) return [ok('breached_passwords', 'BREACHED_PASSWORDS is unset')];
  try {
    await openBreachedPasswords(path);
    return [ok('breached_passwords', `BREACHED_PASSWORDS: ${path} can be read`)];
  } catch (error) {
    if (!(error instanceof BreachedPasswordsError)) throw error;
    return [fault('breached_passwords', error.reason, error.remedy ?? '')];
  }
}
