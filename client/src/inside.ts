/** What the entries `factors` and `passkeys` use of a client. (Interface 20) */
import type { AuthClient, Inside } from './types.js';

/** @throws {TypeError} on a server, if the client has no gateway there */
export function inside(client: AuthClient): Inside {
  const { '~': found } = client;
  if (found) return found;
  throw new TypeError('This needs a client of `createAuthClient` whose `url` names the gateway');
}
