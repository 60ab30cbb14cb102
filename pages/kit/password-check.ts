/** Rules that the page checks without the gateway, so that a slip costs no attempt. (Interface 15) */
import { isMadeOfContext } from '../../src/credentials/passwords/password-context.js';

export const MIN_CHARACTERS = 15;
const MAX_BYTES = 1024;

export interface PasswordCheck {
  /** Unicode code points, as the gateway counts them */
  characters: number;
  isLongEnough: boolean;
  isContext: boolean;
  /** What is wrong, for the field; undefined if the gateway is to decide */
  fault: string | undefined;
}

export function checkPassword(password: string, email: string): PasswordCheck {
  const characters = [...password].length;
  const isLongEnough = characters >= MIN_CHARACTERS;
  const isContext = isMadeOfContext(password, location.hostname, email.trim());
  return { characters, isLongEnough, isContext, fault: faultOf(password, isLongEnough, isContext) };
}

function faultOf(password: string, isLongEnough: boolean, isContext: boolean): string | undefined {
  if (password === '') return 'Enter a new password.';
  if (!isLongEnough) return `The password must have at least ${MIN_CHARACTERS} characters.`;
  if (new TextEncoder().encode(password).length > MAX_BYTES)
    return `The password must have at most ${MAX_BYTES} bytes.`;
  if (isContext)
    return 'The password must be more than your e-mail or the name of this site with a few characters around it.';
  return undefined;
}
