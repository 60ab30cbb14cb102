/** Interface 13: the client, put together. */
import { AuthError } from './auth-error.js';
import { createAuthorizedFetch } from './authorized-fetch.js';
import { atMost, attempt, type Environment, unlessAborted } from './environment.js';
import { type Grant, grantOf } from './grant.js';
import { createRefresh } from './refresh.js';
import { createAsk, messageOf } from './routes.js';
import { createSession } from './session.js';
import { createStore, newKey } from './store.js';
import type { Event } from './table.js';
import { createTurns } from './turns.js';
import type { AuthClient, AuthClientOptions, AuthEvents } from './types.js';

/** How long a caller waits for a token; the refresh goes on. */
export const CALLER_MS = 30_000;
/** How much longer after a 429, by which the gateway asks for a minute at most. */
export const LIMITED_MS = 60_000;

/** What tabs tell each other of a session: a token of it, or that it has ended. */
interface Message {
  sid: string | undefined;
  grant?: Grant;
  /** How long the token is good for */
  leftMs?: number;
  isNew?: boolean | undefined;
  signedOut?: AuthEvents['signed-out'];
}

export function createClient(options: AuthClientOptions, environment: Environment): AuthClient {
  const { origin } = environment;
  const base = new URL(options.url, origin.includes(':') ? origin : undefined);
  const address = base.href.replace(/\/+$/, '');
  const name = `auth-gateway ${address}`;
  const send: typeof fetch = options.fetch ?? environment.fetch;
  const ask = createAsk(address, send, environment);
  const store = createStore(name, options.storage ?? environment.storage, environment);
  const takeTurn = createTurns(name, environment);
  const channel = attempt(() => environment.openChannel?.(name));
  const session = createSession(store, environment, (isWanted) => (isWanted ? refresh.begin() : refresh.hurry()));
  const refresh = createRefresh(session, store, ask, takeTurn, environment, { granted, end });

  /** Times are counted from when the token was asked for. */
  function granted(grant: Grant, askedAt: number, isNew?: boolean): void {
    const message = { sid: grant.sid, grant, leftMs: askedAt + grant.lifetimeMs - environment.now(), isNew };
    tell(message);
    take(message);
  }

  /** In all tabs. */
  function end(event: Event, signedOut: AuthEvents['signed-out']): void {
    store.write({});
    tell({ sid: session.sid, signedOut });
    session.step(event, { signedOut });
  }

  function tell(message: Message): void {
    attempt(() => channel?.postMessage(message));
  }

  function take({ grant, leftMs = 0, signedOut }: Message): void {
    if (grant) session.step('granted', { held: { ...grant, endsAt: environment.now() + leftMs } });
    else session.step('ended', { signedOut });
  }

  async function getAccessToken({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<string | undefined> {
    session.look();
    if (!session.isFresh()) session.step('wanted');
    if (!session.usable()) await unlessAborted(waitForToken(), signal);
    const token = session.usable();
    if (!token && session.isWanted()) throw refresh.failure() ?? new AuthError(0);
    return token;
  }

  async function waitForToken(): Promise<void> {
    await atMost(CALLER_MS, refresh.settled(), environment);
    if (refresh.failure()?.status === 429) await atMost(LIMITED_MS, refresh.settled(), environment);
  }

  if (channel) {
    channel.onmessage = ({ data }: { data: Message }) => {
      // Else it is of a session that this tab has left already.
      if (data.isNew || data.sid === session.sid) take(data);
    };
  }
  environment.onOnline?.(() => refresh.hurry(true));
  if (session.sid) session.step('wanted');

  return {
    login: ({ email, password }) =>
      takeTurn(async () => {
        await refresh.answered(); // the answer to a logout would take the cookie away
        const askedAt = environment.now();
        const body = JSON.stringify({ email, password });
        const got = await ask('login', grantOf, { 'content-type': 'application/json' }, body);
        store.write({ sid: got.sid, key: newKey(environment) });
        granted(got, askedAt, true);
        return got.user;
      }),
    logout: () => {
      session.step('leave');
      return takeTurn(async () => {
        store.write({ sentBy: store.page, ...store.read() }); // of two that are on the way the first is waited for
        await ask('logout', messageOf).catch((error) => {
          session.step('stayed');
          throw error;
        });
        end('ended', { reason: 'logout' });
      });
    },
    fetch: createAuthorizedFetch(
      send,
      new Set([base.origin, origin, ...(options.allowedOrigins ?? []).map((one) => new URL(one).origin)]),
      getAccessToken,
      session,
    ),
    getAccessToken,
    ...session.page,
  };
}
