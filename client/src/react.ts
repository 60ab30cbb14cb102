'use client';

/** Interface 13: `@auth-gateway/client/react`. */
import { useSyncExternalStore } from 'react';
import type { AuthClient, AuthState } from './types.js';

/** Of a server, and of the first paint in the browser, which must be the same: no page request has the cookie. */
const UNKNOWN: AuthState = { status: 'loading' };

/**
 * The state of the client; the component is rendered again when it changes. On a server, and while React takes over what a
 * server has rendered, it is `loading`.
 */
export function useAuth(client: Pick<AuthClient, 'state' | 'subscribe'>): AuthState {
  return useSyncExternalStore(client.subscribe, client.state, unknown);
}

function unknown(): AuthState {
  return UNKNOWN;
}
