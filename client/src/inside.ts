/** What the entries `factors`, `passkeys` and `account` use of a client. (Interface 20 and 21) */
import type { AuthError } from './auth-error.js';
import type { Ask } from './routes.js';
import type { Session } from './session.js';
import type { TakeTurn } from './turns.js';
import type { AuthClient, User } from './types.js';

export interface Inside {
  ask: Ask;
  /** @throws {AuthError} also if no token can be had */
  askWithToken: Ask;
  /** Logs in by a route that answers with a token. */
  enter(route: 'login/passkey', body: object): Promise<User>;
  session: Session;
  takeTurn: TakeTurn;
  /** Reports to all tabs that the user has ended the session. */
  ended(): void;
}

/** @throws {TypeError} on a server, if the client has no gateway there */
export function inside(client: AuthClient): Inside {
  const { '~': found } = client;
  if (found) return found as Inside;
  throw new TypeError('This needs a client of `createAuthClient` whose `url` names the gateway');
}

/** Tries one refresh although this page knows of no session: the browser may have the cookie of one nevertheless. */
export function resume(client: AuthClient): void {
  if (client.state().status !== 'signed-out') return;
  const { session } = inside(client);
  session.step('replaced');
  session.step('wanted');
}

/** For a change of the session: after a lost answer it may have been made, which a new token shows. */
export function renewIfLost(client: AuthClient): (error: AuthError) => never {
  return (error) => {
    if (error.kind !== 'refused' || error.status > 499) renew(client);
    throw error;
  };
}

/** The session is no longer what its token says, so the next request waits for a new one. */
export function renew(client: AuthClient): void {
  const { session } = inside(client);
  if (session.held) session.held.endsAt = 0;
  session.step('wanted');
}
