/** Puts the parts of the client together. (Interface 13) */
import { AuthError } from './auth-error.js';
import { createAuthorizedFetch } from './authorized-fetch.js';
import { atMost, attempt, type Environment, unlessAborted } from './environment.js';
import { type Grant, grantOf, type Half, halfOf } from './grant.js';
import { createLogout } from './logout.js';
import { createRefresh } from './refresh.js';
import { type Accept, createAsk, isTaken, messageOf, type Route, sessionsEndedOf } from './routes.js';
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
  const logout = createLogout(session, store, ask, takeTurn, environment, refresh, () =>
    end('ended', { reason: 'logout' }),
  );

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
  const askWithToken = createAsk(address, authorizedFetch, environment, true);

  function enter<T extends Grant | Half>(route: Route, accept: Accept<T>, body: object): Promise<T> {
    return takeTurn(async () => {
      await refresh.answered(); // a late answer to a refresh or a logout would delete the new cookie
      const askedAt = environment.now();
      const got = await ask(route, accept, body);
      if ('token' in got) {
        const isLeaving = logout.isAsked() || undefined; // since then
        store.write({ sid: got.sid, key: newKey(environment), isLeaving });
        granted(got, askedAt, true);
      } else {
        session.look();
        if (session.isLeaving()) {
          await ask('logout', messageOf);
          end('ended', { reason: 'logout' });
        }
        session.step('challenged', { half: { ...got, expiresAt: askedAt + got.lifetimeMs } });
      }
      return got;
    });
  }

  function login(credentials: Credentials): Promise<User | undefined>;
  function login(form: FormData): Promise<void>;
  async function login(given: Credentials | FormData): Promise<unknown> {
    const { email, password } = given instanceof FormData ? Object.fromEntries(given) : given;
    const accept: Accept<Grant | Half> = (json, header) => halfOf(json) ?? grantOf(json, header);
    const got = await enter('login', accept, { email, password });
    return 'user' in got ? got.user : undefined;
  }

  const challenge = (): string | undefined => session.half?.challenge;

  return {
    login,
    secondFactor: async ({ code, recoveryCode, credential }: Partial<Record<string, unknown>>) => {
      const body = { challenge: challenge(), code, recovery_code: recoveryCode, credential };
      try {
        return (await enter('login/factor', grantOf, body)).user;
      } catch (error) {
        if ((error as AuthError).reason === 'challenge_invalid') session.step('abandoned');
        throw error;
      }
    },
    cancelSecondFactor: () => {
      session.step('abandoned');
    },
    confirm: async (proof) => {
      await getAccessToken();
      const { epoch } = session;
      const askedAt = environment.now();
      const got = await askWithToken('confirm', grantOf, proof);
      if (session.epoch === epoch) granted(got, askedAt);
    },
    logout: async () => {
      if (session.sid) broadcast({ sid: session.sid, isLeaving: true });
      const failure = await logout.ask();
      if (failure) throw failure;
    },
    changePassword: async ({ currentPassword, newPassword }) => {
      await getAccessToken(); // its failure says more than a request without an answer
      const body = { current_password: currentPassword, new_password: newPassword };
      return askWithToken('password', sessionsEndedOf, body);
    },
    forgotPassword: async (email) => {
      await ask('password/forgot', isTaken, { email });
    },
    fetch: authorizedFetch,
    getAccessToken,
    ...session.page,
    '~': {
      ask: (route, ...rest) => (/^login/.test(route) ? ask : askWithToken)(route, ...rest),
      enter: async (route, body) => (await enter(route, grantOf, body)).user,
      challenge,
      renew: () => {
        if (session.held) session.held.endsAt = 0;
        session.step('wanted');
      },
    },
  };
}
