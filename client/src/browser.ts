/** The entry `@auth-gateway/client/browser` of the package. (Interface 13) */
import { createClient } from './client.js';
import { attempt, type Environment } from './environment.js';
import { createClientWithoutPage } from './no-page.js';
import type { AuthClient, AuthClientOptions } from './types.js';
import { isRelative } from './urls.js';

export { AuthError, type AuthErrorKind, type FieldError } from './auth-error.js';
export type {
  AuthClient,
  AuthClientOptions,
  AuthEvents,
  AuthState,
  Confirmation,
  Credentials,
  Factor,
  KeyValueStorage,
  Me,
  PasswordChange,
  SecondFactor,
  User,
} from './types.js';

/**
 * Sends nothing on a server, and starts no timer, until it is used.
 * @throws {TypeError} if `url` or one of `allowedOrigins` is not a URL of http or https
 */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  const environment = environmentOfTheBrowser();
  const isWithoutPage = !environment.origin && isRelative(options.url);
  return isWithoutPage ? createClientWithoutPage() : createClient(options, environment);
}

/**
 * Features that a browser lacks or forbids are left out. So is what all clients of a server process would share: they act
 * for different people.
 */
function environmentOfTheBrowser(): Environment {
  const origin = attempt(() => location.origin) ?? '';
  const startedAt = Date.now() - performance.now();
  return {
    fetch: (input, init) => fetch(input, init),
    // `performance.now` stands still while some machines sleep; a jump of `Date` costs a refresh.
    now: () => Math.max(startedAt + performance.now(), Date.now()),
    after: (ms, run, isIdle) => {
      const timer = setTimeout(run, ms);
      if (isIdle) (timer as { unref?(): void }).unref?.(); // exists in Node only
      return () => clearTimeout(timer);
    },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    // Node has locks too, and can have `localStorage`.
    locks: attempt(() => (origin ? navigator.locks : undefined)),
    openChannel: (name) => new BroadcastChannel(name),
    storage: attempt(() => (origin ? localStorage : undefined)),
    origin,
    onOnline: (listener) => globalThis.addEventListener?.('online', listener),
  };
}
