/** Passkeys in this browser. The code for them is loaded when one is used. (Interface 20) */
import type * as Passkeys from '../../client/src/passkeys.js';
import { problemOf } from './graphql.js';
import { Problem } from './problem.js';

/** Browsers have them on https and localhost alone. */
export const HAS_PASSKEYS = 'PublicKeyCredential' in globalThis;

/** In the storage of the browser: one has been used here, so that the login form may offer it. */
const USED = 'auth-gateway passkey';

export function wasPasskeyUsed(): boolean {
  try {
    return HAS_PASSKEYS && localStorage.getItem(USED) !== null;
  } catch {
    return false; // the browser forbids storage
  }
}

function rememberUse(): void {
  try {
    localStorage.setItem(USED, '1');
  } catch {
    // then the form does not offer it
  }
}

/**
 * @param act what is done with a passkey
 * @throws {Problem}, or `AbortError` if it was given up by its signal or for another passkey
 */
export async function byPasskey<T>(act: (passkeys: typeof Passkeys) => Promise<T>): Promise<T> {
  try {
    const done = await act(await import('../../client/src/passkeys.js'));
    rememberUse();
    return done;
  } catch (error) {
    throw passkeyProblemOf(error);
  }
}

/** What WebAuthn Level 3 throws (sections 5.1.3 and 5.1.4), in words. */
const WORDS: Record<string, string> = {
  InvalidStateError: 'This device has a passkey of yours already.',
  NotAllowedError: 'No passkey was used: this device has none for this site, or you cancelled, or it took too long.',
  NotSupportedError: 'This browser or this device cannot use passkeys here.',
  SecurityError: 'Passkeys do not work at this address.',
};

function passkeyProblemOf(error: unknown): unknown {
  const words = error instanceof DOMException ? WORDS[error.name] : undefined;
  return words === undefined ? problemOf(error) : new Problem(words, false, 'no_passkey');
}

export function isGivenUp(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
