/** Interface 4: what an access token says. It is read, not verified: that is for those to whom it is sent. */
import type { User } from './types.js';

export interface Grant {
  token: string;
  /** The session */
  sid: string;
  user: User;
  lifetimeMs: number;
  /** Interface 12: whether this was given before, to the key `this` or `previous` of this request; else empty */
  retry: string;
}

/**
 * Of a token response (Spec 2.2)
 * @returns undefined, or throws, for any other
 */
export function grantOf(
  { access_token: token }: { access_token: string },
  header: (name: string) => string,
): Grant | undefined {
  const payload = token.split('.')[1] as string;
  const { sub, sid, role, scope, iat, exp } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
  const user = { sub, role, scopes: scope?.split(' ') ?? [] };
  return sid && exp > iat
    ? { token, sid, user, lifetimeMs: (exp - iat) * 1000, retry: header('refresh-retry') }
    : undefined;
}
