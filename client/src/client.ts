/** Puts the parts of the client together. (Interface 13) */
import { AuthError } from './auth-error.js';
import { createAuthorizedFetch } from './authorized-fetch.js';
import { ME } from './documents.js';
import { atMost, attempt, type Environment, unlessAborted } from './environment.js';
import { type Grant, grantOf, loginOf } from './grant.js';
import { askGraphql } from './graphql.js';
import type { Inside } from './inside.js';
import { createLogout } from './logout.js';
import { createRefresh } from './refresh.js';
import { type Ask, createAsk, isTaken, messageOf, type Route, sessionsEndedOf } from './routes.js';
import { createSession } from './session.js';
import { createStore, newKey } from './store.js';
import type { Event } from './table.js';
import { createTurns } from './turns.js';
import type { AuthClient, AuthClientOptions, AuthEvents, Credentials, User } from './types.js';
import { parseUrl } from './urls.js';

/** How long a caller waits for a token; the refresh itself continues. */
export const CALLER_MS = 30_000;
/** Additional wait after a 429, since the gateway asks for at most a minute. */
export const LIMITED_MS = 60_000;

/** A message between tabs: a token of a session, its end, or that it is to be ended. */
interface Message {
  sid: string | undefined;
  grant?: Grant;
  /** Remaining lifetime of the token */
  leftMs?: number;
  isNew?: boolean | undefined;
  signedOut?: AuthEvents['signed-out'];
  isLeaving?: boolean;
}

export function createClient(options: AuthClientOptions, environment: Environment): AuthClient {
  const { origin } = environment;
  const base = parseUrl(options.url, origin);
  const address = base.href.replace(/\/+$/, '');
  const name = `auth-gateway ${address}`;
  const send: typeof fetch = options.fetch ?? environment.fetch;
  const ask = createAsk(address, send, environment);
  const storage = options.storage ?? environment.storage;
  const store = createStore(name, storage, environment);
  const takeTurn = createTurns(name, environment);
  // Another storage may have another session, whose tokens and end are nobody else's.
  const isOfThePage = storage && storage === environment.storage;
  const channel = isOfThePage ? attempt(() => environment.openChannel?.(name)) : undefined;
  const session = createSession(store, environment, (isWanted) => {
    if (isWanted) refresh.begin();
    else refresh.hurry();
    if (session.isLeaving()) logout.begin();
    else logout.hurry();
  });
  const refresh = createRefresh(session, store, ask, takeTurn, environment, { granted, end });
  const loggedOut = (): void => end('ended', { reason: 'logout' });
  const logout = createLogout(session, store, ask, takeTurn, environment, refresh, loggedOut);

  /** The lifetime is counted from the time of the request. */
  function granted(grant: Grant, askedAt: number, isNew?: boolean): void {
    const message = { sid: grant.sid, grant, leftMs: askedAt + grant.lifetimeMs - environment.now(), isNew };
    broadcast(message);
    apply(message);
  }

  /** Ends the session in all tabs. A request of another page stays marked: its late answer would delete the next cookie. */
  function end(event: Event, signedOut: AuthEvents['signed-out']): void {
    store.write({ sentBy: store.sentByOther() });
    broadcast({ sid: session.sid, signedOut });
    session.step(event, { signedOut });
  }

  function broadcast(message: Message): void {
    attempt(() => channel?.postMessage(message));
  }

  function apply({ grant, leftMs = 0, isNew, signedOut, isLeaving }: Message): void {
    // A logout that was asked for after the login is still wanted.
    const event = isNew && !store.read().isLeaving ? 'entered' : 'granted';
    if (grant) session.step(event, { held: { ...grant, endsAt: environment.now() + leftMs } });
    else session.step(isLeaving ? 'leave' : 'ended', { signedOut });
  }

  async function getAccessToken({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<string | undefined> {
    session.look();
    if (!session.isFresh()) session.step('wanted');
    if (!session.usable()) await unlessAborted(waitForToken(), signal);
    const token = session.usable();
    if (!token && session.isWanted()) throw refresh.failure() ?? new AuthError('late');
    return token;
  }

  async function waitForToken(): Promise<void> {
    await atMost(CALLER_MS, refresh.settled(), environment);
    if (refresh.failure()?.status === 429) await atMost(LIMITED_MS, refresh.settled(), environment);
  }

  if (channel) {
    channel.onmessage = ({ data }: { data: Message }) => {
      // Otherwise it belongs to a session that this tab has already left.
      if (data.isNew || data.sid === session.sid) apply(data);
    };
  }
  environment.onOnline?.(() => {
    refresh.hurry(true);
    logout.hurry(true);
  });
  if ((session.sid || session.isLeaving()) && origin) session.step('wanted'); // on a server once it is used

  const authorizedFetch = createAuthorizedFetch(
    send,
    new Set([base.origin, origin, ...(options.allowedOrigins ?? []).map((one) => parseUrl(one).origin)]),
    getAccessToken,
    session,
  );
  const askAuthorized = createAsk(address, authorizedFetch, environment);
  const askWithToken: Ask = async (...rest) => {
    await getAccessToken(); // its failure says more than a request without an answer
    return askAuthorized(...rest);
  };

  function enter(route: 'login/factor' | 'login/passkey', body: object): Promise<User>;
  function enter(route: 'login', body: object): Promise<User | undefined>;
  function enter(route: Route, body: object): Promise<User | undefined> {
    return takeTurn(async (): Promise<User | undefined> => {
      await refresh.answered(); // a late answer to a refresh or a logout would delete the new cookie
      const askedAt = environment.now();
      const got = await ask(route, loginOf, body);
      if (got.user) {
        const isLeaving = logout.isAsked() || undefined; // since then
        store.write({ sid: got.sid, key: newKey(environment), isLeaving });
        granted(got, askedAt, true);
      } else {
        if (session.isLeaving()) {
          await ask('logout', messageOf);
          loggedOut();
        }
        session.step('half', { half: { ...got, expiresAt: askedAt + got.expires_in * 1000 } });
      }
      return got.user;
    });
  }

  function login(credentials: Credentials): Promise<User | undefined>;
  function login(form: FormData): Promise<void>;
  function login(given: Credentials | FormData): Promise<unknown> {
    const { email, password } = given instanceof FormData ? Object.fromEntries(given) : given;
    return enter('login', { email, password });
  }

  return {
    login,
    secondFactor: ({ recoveryCode, ...proof }: Partial<Record<string, unknown>>) =>
      enter('login/factor', { challenge: session.half?.challenge, recovery_code: recoveryCode, ...proof }).catch(
        (error: AuthError) => {
          if (error.reason === 'challenge_invalid') session.step('cancel');
          throw error;
        },
      ),
    cancelSecondFactor: () => {
      session.step('cancel');
    },
    confirm: async (proof) => {
      await getAccessToken();
      await waitForToken(); // a token that was asked for before would replace that of the answer
      const askedAt = environment.now();
      const got = await askWithToken('confirm', grantOf, proof);
      if (got.sid === session.sid) granted(got, askedAt);
    },
    logout: async () => {
      if (session.sid) broadcast({ sid: session.sid, isLeaving: true });
      const failure = await logout.ask();
      if (failure) throw failure;
    },
    me: () => askGraphql(askWithToken, ME),
    changePassword: ({ currentPassword, newPassword }) => {
      const body = { current_password: currentPassword, new_password: newPassword };
      return askWithToken('password', sessionsEndedOf, body);
    },
    forgotPassword: async (email) => {
      await ask('password/forgot', isTaken, { email });
    },
    fetch: authorizedFetch,
    getAccessToken,
    ...session.page,
    '~': { ask, askWithToken, enter, session, takeTurn, ended: loggedOut } satisfies Inside,
  };
}
