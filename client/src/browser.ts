/** Interface 13: `@auth-gateway/client/browser`. */
import { createClient } from './client.js';
import { attempt, type Environment } from './environment.js';
import type { AuthClient, AuthClientOptions } from './types.js';

export { AuthError, type AuthErrorKind } from './auth-error.js';
export type {
  AuthClient,
  AuthClientOptions,
  AuthEvents,
  AuthState,
  Credentials,
  FieldError,
  KeyValueStorage,
  PasswordChange,
  User,
} from './types.js';

/** @throws {TypeError} if `url` or one of `allowedOrigins` is not a URL */
export function createAuthClient(options: AuthClientOptions): AuthClient {
  return createClient(options, environmentOfTheBrowser());
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
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
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
