/** Answers to a login. The claims of a token are read, not verified: verification is for its recipients. (Interface 4 and 20) */
import type { Factor, User } from './types.js';

export interface Grant {
  token: string;
  /** ID of the session */
  sid: string;
  user: User;
  lifetimeMs: number;
  /** Interface 12: `this` or `previous`, the key of this request to which the token was given before; otherwise empty */
  retry: string;
}

/** A login that wants a second factor within so many seconds */
export interface Half {
  challenge: string;
  factors: readonly Factor[];
  expires_in: number;
  user?: undefined;
}

/** Reads an answer to an e-mail and a password. */
export const loginOf = (body: Half & TokenBody, header: Header): Grant | Half | undefined =>
  body.factors ? body : grantOf(body, header);

type Header = (name: string) => string;

interface TokenBody {
  access_token: string;
}

/**
 * Reads a token response (Spec 2.2).
 * @returns undefined, or throws, for any other response
 */
export function grantOf({ access_token: token }: TokenBody, header: Header): Grant | undefined {
  const payload = token.split('.')[1] as string;
  const { sub, sid, role, scope, iat, exp } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
  const user = { sub, role, scopes: scope?.split(' ') ?? [] };
  return sid && exp > iat
    ? { token, sid, user, lifetimeMs: (exp - iat) * 1000, retry: header('refresh-retry') }
    : undefined;
}
