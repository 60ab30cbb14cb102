/** The public types of the client. (Interface 13) */
import type { AuthError } from './auth-error.js';

export interface AuthClientOptions {
  /** The gateway's origin, or `/` if the page's own origin forwards `/auth` to it. */
  url: string | URL;
  /** Further origins that receive the token, as well as that of `url` and the page's own: `https://api.example.com` */
  allowedOrigins?: readonly string[];
  /** Default: `localStorage`. Pages that share it share the session. */
  storage?: KeyValueStorage;
  /** Default: the page's own. */
  fetch?: typeof fetch;
}

/** The part of `Storage` that is used. */
export interface KeyValueStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface Credentials {
  email: string;
  password: string;
}

/** A way to prove who one is, as well as the password. (Interface 20) */
export type Factor = 'totp' | 'passkey' | 'recovery_code';

/** A code of the authenticator app, a recovery code, or the answer of a passkey (`AuthenticationResponseJSON`). */
export type SecondFactor =
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly credential: object };

/** Users with a factor confirm with a factor, others with the password. */
export type Confirmation =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly ceremony: string; readonly credential: object };

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

/** Who is logged in, according to the gateway. */
export interface Me {
  /** ID of the user: `sub` of the token */
  id: string;
  email: string;
  role: string;
}

/** Who is logged in, according to the access token. */
export interface User {
  /** ID of the user */
  sub: string;
  role: string;
  scopes: readonly string[];
}

/**
 * The object stays the same until something in it changes. `signing-out`: a logout is wanted that the gateway has not
 * confirmed, in any tab, also after a reload. `error` says why, once a try has failed. `second-factor`: the password was
 * right, and one of `factors` is wanted until `expiresAt` (milliseconds since the epoch). Only this page knows, until it is
 * reloaded.
 */
export type AuthState =
  | { readonly status: 'loading'; readonly user?: undefined; readonly error?: undefined }
  | { readonly status: 'signed-out'; readonly user?: undefined; readonly error?: undefined }
  | { readonly status: 'signing-out'; readonly user?: undefined; readonly error?: AuthError | undefined }
  | {
      readonly status: 'second-factor';
      readonly factors: readonly Factor[];
      readonly expiresAt: number;
      readonly user?: undefined;
      readonly error?: undefined;
    }
  | { readonly status: 'signed-in'; readonly user: User; readonly error?: undefined };

/** What listeners receive. */
export interface AuthEvents {
  'signed-in': { user: User };
  /** The session has a new access token. */
  refreshed: { user: User };
  /** `logout`: a logout or `deleteAccount`, here or in another tab; `refused`: the gateway ended the session, and `detail` says why. */
  'signed-out': { reason: 'logout' | 'refused'; detail?: string };
  /** A refresh got no answer, or one that settles nothing (5xx, 429). It will be repeated. */
  offline: { error: AuthError };
}

export interface AuthClient {
  /**
   * Logs in, and never tries twice.
   * @returns the user, or undefined if a second factor is wanted: `state()` then says which
   * @throws {AuthError} 401, 422, 429 or 5xx, or 0 if no answer came in 10 s; this client is then as before
   */
  login(credentials: Credentials): Promise<User | undefined>;
  /** The same, as the action of a form with the fields `email` and `password`. */
  login(form: FormData): Promise<void>;
  /**
   * Completes a login that wants a second factor.
   * @returns the user
   * @throws {AuthError} 401 with the reason `invalid_credentials` if the factor is wrong, 429, 422, 5xx, or 0 if no answer
   *   came in 10 s: it may be tried again. 401 `challenge_invalid` if the login has expired: the status is then `signed-out`
   */
  secondFactor(proof: SecondFactor): Promise<User>;
  /** Gives up a login that wants a second factor. */
  cancelSecondFactor(): void;
  /**
   * Proves again who is logged in, for what the gateway allows only shortly after a proof. The next request has a token that says so.
   * @throws {AuthError} 403 with the reason `factor_wrong`, or `second_factor_required` for a password of a user with a
   *   factor; 401, 422, 429, 5xx, or 0 if no answer came in 10 s. As `getAccessToken`, if no token can be had
   */
  confirm(proof: Confirmation): Promise<void>;
  /**
   * Ends the session in all tabs. From now on nobody gets a token, and the status is `signing-out` until the gateway has confirmed it.
   * @throws {AuthError} if the first try failed. It is repeated, also by pages that are loaded later, until it is confirmed or
   *   somebody logs in. The session continues only if the gateway itself refuses with 402 to 407
   */
  logout(): Promise<void>;
  /**
   * Asks the gateway who is logged in, with the present e-mail.
   * @throws {AuthError} 401 if nobody is, 429, 5xx, or 0 if no answer came in 10 s. As `getAccessToken`, if no token can be had
   */
  me(): Promise<Me>;
  /**
   * Changes the password of the user. This session continues, all others of the user end.
   * @returns the number of ended sessions
   * @throws {AuthError} 403 with the reason `current_password_wrong`, 422 with `errors`, 401, 429, 5xx, or 0 if no answer came
   *   in 10 s: the password may have been changed then. As `getAccessToken`, if no token can be had
   */
  changePassword(change: PasswordChange): Promise<{ sessionsEnded: number }>;
  /**
   * Asks the gateway to send a link for a new password to this address, if it has an account. Nobody learns whether it has one.
   * The session, if there is one, stays as it is.
   * @throws {AuthError} 422 with `errors`, 429, 5xx, or 0 if no answer came in 10 s: the message may have been sent then. 404 if
   *   the gateway sends no mail (`MAIL=off`)
   */
  forgotPassword(email: string): Promise<void>;
  /**
   * The page's `fetch`, with the access token for trusted origins. It refreshes ahead of expiry; after a 401 it refreshes
   * once and repeats the request once.
   * @throws {AuthError} if a token is needed and none can be had at present
   */
  fetch: typeof fetch;
  /**
   * @param options `signal` ends only this wait
   * @returns an access token that has not expired, undefined when signed out
   * @throws {AuthError} if one is needed and cannot be had within 30 s, or after a 429 within 90 s
   */
  getAccessToken(options?: { signal?: AbortSignal | undefined }): Promise<string | undefined>;
  /** @returns whether somebody is logged in, and who: the same object until something changes */
  state(): AuthState;
  /**
   * Calls the listener at each change of the state.
   * @returns a function that unsubscribes
   */
  subscribe(listener: () => void): () => void;
  /**
   * Calls the listener at each event of this name.
   * @returns a function that unsubscribes
   */
  on<E extends keyof AuthEvents>(event: E, listener: (happened: AuthEvents[E]) => void): () => void;
  // What the entries `factors`, `passkeys` and `account` use. It may change with every version.
  readonly '~'?: object;
}
