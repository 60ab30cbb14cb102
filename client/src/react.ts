'use client';

/** Interface 13: `@auth-gateway/client/react`. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { AuthClient, AuthState, Me } from './types.js';

/** Of a server, and of the first paint in the browser, which must be the same: no page request has the cookie. */
const UNKNOWN: AuthState = { status: 'loading' };

/**
 * The state of the client; the component is rendered again when it changes. On a server, and while React takes over what a
 * server has rendered, it is `loading`.
 */
export function useAuth(client: Pick<AuthClient, 'state' | 'subscribe'>): AuthState {
  return useSyncExternalStore(client.subscribe, client.state, unknown);
}

/**
 * Who is logged in, with the e-mail. The gateway is asked once a login; until it has answered, and if nobody is logged in, it
 * is undefined.
 */
export function useMe(client: Pick<AuthClient, 'state' | 'subscribe' | 'me'>): Me | undefined {
  const { user } = useAuth(client);
  const [me, setMe] = useState<Me>();
  const sub = user?.sub;
  useEffect(() => {
    if (!sub) return;
    let isCurrent = true;
    client.me().then(
      (found) => isCurrent && setMe(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [client, sub]);
  return me?.id === sub ? me : undefined;
}

function unknown(): AuthState {
  return UNKNOWN;
}
