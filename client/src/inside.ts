/** What the entries `factors` and `passkeys` use of a client. (Interface 20) */
import type { Ask } from './routes.js';
import type { Session } from './session.js';
import type { AuthClient, User } from './types.js';

export interface Inside {
  ask: Ask;
  /** @throws {AuthError} also if no token can be had */
  askWithToken: Ask;
  /** Logs in by a route that answers with a token. */
  enter(route: 'login/passkey', body: object): Promise<User>;
  session: Session;
}

/** @throws {TypeError} on a server, if the client has no gateway there */
export function inside(client: AuthClient): Inside {
  const { '~': found } = client;
  if (found) return found as Inside;
  throw new TypeError('This needs a client of `createAuthClient` whose `url` names the gateway');
}
