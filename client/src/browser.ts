/** CONTRACT 13: `@auth-gateway/client/browser`. */
import { createClient } from './client.js';
import { attempt, type Environment } from './environment.js';
import type { AuthClient, AuthClientOptions } from './types.js';

export { AuthError } from './auth-error.js';
export type {
  AuthClient,
  AuthClientOptions,
  AuthEvents,
  AuthState,
  Credentials,
  KeyValueStorage,
  User,
} from './types.js';

/** @throws {TypeError} where `url` or one of `allowedOrigins` is no URL */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  return createClient(options, environmentOfTheBrowser());
}

/** What a browser leaves out, or forbids to the page, is left out. */
function environmentOfTheBrowser(): Environment {
  return {
    fetch: (input, init) => fetch(input, init),
    now: steadyClock(),
    setTimeout: (run, ms) => setTimeout(run, ms),
    clearTimeout: (timer) => clearTimeout(timer as number),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    locks: attempt(() => navigator.locks),
    openChannel: (name) => new BroadcastChannel(name),
    storage: attempt(() => localStorage),
    origin: attempt(() => location.origin) ?? '',
    onOnline: (listener) => addEventListener('online', listener),
  };
}

/** `performance.now` stops while some machines sleep, and `Date` may jump: whichever has gone further counts. */
function steadyClock(): () => number {
  let now = 0;
  let [steady, wall] = [performance.now(), Date.now()];
  return () => {
    const [steadyNow, wallNow] = [performance.now(), Date.now()];
    now += Math.max(steadyNow - steady, wallNow - wall);
    [steady, wall] = [steadyNow, wallNow];
    return now;
  };
}
