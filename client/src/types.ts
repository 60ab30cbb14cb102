/** Interface 13: what the client takes and gives. */
import type { AuthError } from './auth-error.js';

export interface AuthClientOptions {
  /** Where the gateway is: its origin, or `/` where the page's own origin passes `/auth` on to it. */
  url: string | URL;
  /** Origins that are sent the token too, beside that of `url` and the page's own: `https://api.example.com` */
  allowedOrigins?: readonly string[];
  /** `localStorage` where left out. Pages that share it share the session. */
  storage?: KeyValueStorage;
  /** The page's own where left out. */
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

/** Who is logged in, as the access token says it. */
export interface User {
  /** ID of the user */
  sub: string;
  role: string;
  scopes: readonly string[];
}

/** `user` is there when signed in. The object stays the same until something in it changes. */
export interface AuthState {
  readonly status: 'loading' | 'signed-in' | 'signed-out';
  readonly user?: User | undefined;
}

/** What listeners are told. */
export interface AuthEvents {
  'signed-in': { user: User };
  /** There is a new access token of the same session. */
  refreshed: { user: User };
  /** `logout`: here or in another tab; `refused`: the gateway has ended the session, and `detail` is its sentence. */
  'signed-out': { reason: 'logout' | 'refused'; detail?: string };
  /** A refresh got no answer, or one that settles nothing (5xx, 429); it is tried again. */
  offline: { error: AuthError };
}

export interface AuthClient {
  /**
   * @returns who has logged in
   * @throws {AuthError} 401 or 429 with the gateway's sentence, 5xx, or 0 where no answer came; nothing has changed then
   */
  login(credentials: Credentials): Promise<User>;
  /**
   * Ends the session in all tabs. What is asked of the client meanwhile gets no token.
   * @throws {AuthError} where the gateway has not confirmed it: the session goes on
   */
  logout(): Promise<void>;
  /**
   * The page's `fetch` with the access token, for the trusted origins; it refreshes ahead of expiry, and after a 401
   * once, to repeat the request once.
   * @throws {AuthError} where a token is needed and cannot be had at present
   */
  fetch: typeof fetch;
  /**
   * @returns an access token that has not expired, undefined when signed out
   * @param options `signal` ends the wait for one, and nothing else
   * @throws {AuthError} where one is needed and cannot be had within 30 s, or after a 429 within 90 s
   */
  getAccessToken(options?: { signal?: AbortSignal | undefined }): Promise<string | undefined>;
  state(): AuthState;
  /** @returns what ends the subscription */
  subscribe(listener: () => void): () => void;
  /** @returns what ends it */
  on<E extends keyof AuthEvents>(event: E, listener: (happened: AuthEvents[E]) => void): () => void;
}
