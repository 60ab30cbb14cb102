/** CONTRACT 4: what an access token says. It is read, not verified: that is for those to whom it is sent. */
import { attempt } from './environment.js';
import type { User } from './types.js';

export interface Grant {
  token: string;
  /** The session */
  sid: string;
  user: User;
  lifetimeMs: number;
}

/** Of a token response (Spec 2.2) */
export const grantOf = (body: { access_token?: unknown }): Grant | undefined => readGrant(body.access_token);

/** @returns undefined for anything but an access token of the gateway */
export function readGrant(token: unknown): Grant | undefined {
  return attempt(() => {
    const [, payload] = (token as string).split('.') as [string, string];
    const { sub, sid, role, scope = '', iat, exp } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    const user = { sub, role, scopes: scope.split(' ').filter(Boolean) };
    return sid && exp > iat ? { token: token as string, sid, user, lifetimeMs: (exp - iat) * 1000 } : undefined;
  });
}
