/** CONTRACT 13: the client. The table decides; here is what it has done, and what happens to it. */
import { AuthError } from './auth-error.js';
import { createAuthorizedFetch } from './authorized-fetch.js';
import { attempt, type Environment } from './environment.js';
import { type Grant, readGrant } from './grant.js';
import { createListeners } from './listeners.js';
import { createRoutes, Refused } from './routes.js';
import { createStore } from './store.js';
import { type Effect, type Event, STATUS, type State, TABLE, WANTS_TOKEN } from './table.js';
import { createTurns } from './turns.js';
import type { AuthClient, AuthClientOptions, AuthEvents, AuthState } from './types.js';

/** A refresh that another page has sent, and not lived to see answered: how long its answer may be on the way. */
export const CUT_OFF_MS = 2_500;
/** How long a caller waits for a token; the refresh goes on. */
export const CALLER_MS = 30_000;
/** Before its expiry, a token is renewed this early, or by a fifth of its life. */
const AHEAD_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_RETRY_AFTER_SECONDS = 3_600;

/** What an event brings with it. */
interface About {
  grant?: Grant;
  endsAt?: number;
  sid?: string;
  signedOut?: AuthEvents['signed-out'];
}

/** What tabs tell each other. */
type Message =
  | { token: string; leftMs: number; isNew: boolean }
  | { ended: string | undefined; signedOut: AuthEvents['signed-out'] };

export function createClient(options: AuthClientOptions, environment: Environment): AuthClient {
  const { origin } = environment;
  const base = new URL(options.url, origin.includes(':') ? origin : undefined);
  const address = base.href.replace(/\/+$/, '');
  const name = `auth-gateway ${address}`;
  const send: typeof fetch = options.fetch ?? environment.fetch;
  const routes = createRoutes(address, send, environment);
  const store = createStore(name, options.storage ?? environment.storage);
  const takeTurn = createTurns(name, environment);
  const channel = attempt(() => environment.openChannel?.(name));
  const { on, subscribe, emit, changed } = createListeners(environment);

  let sid = store.read().sid;
  /** The session that ended last: storage may still show it for a moment. */
  let endedSid: string | undefined;
  let state: State = store.isShared() ? (sid ? 'resuming' : 'signed-out') : 'unknown';
  let snapshot: AuthState = { status: STATUS[state] };
  let grant: Grant | undefined;
  let renewAt = 0;
  let endsAt = 0;
  /** Counts what makes the answer to a refresh under way one to nobody's question. */
  let epoch = 0;
  let isRefreshing = false;
  let failure: AuthError | undefined;
  let endPause = (_isOnline: boolean): void => undefined;
  const waiting = new Set<(error?: AuthError) => void>();

  const newKey = (): string => btoa(String.fromCharCode(...environment.random(32)));
  const pause = (ms: number): Promise<void> => new Promise((resolve) => environment.setTimeout(resolve, ms));

  /** @returns what was done */
  function step(event: Event, about: About = {}): Effect {
    const before = snapshot;
    const formerSid = sid;
    const [next, effect] = TABLE[state][event];
    state = next;
    if (about.grant) sid = about.grant.sid;
    if (event === 'replaced') sid = about.sid;
    if (effect === 'forget') {
      endedSid = sid;
      sid = undefined;
    }
    if (event === 'leave' || sid !== formerSid) epoch += 1;

    if (effect === 'take' && about.grant) {
      grant = about.grant;
      endsAt = about.endsAt ?? 0;
      renewAt = endsAt - Math.min(AHEAD_MS, grant.lifetimeMs / 5);
    }
    if (effect === 'drop' || effect === 'forget') {
      grant = undefined;
      renewAt = endsAt = 0;
    }
    show();
    if (!WANTS_TOKEN[state]) {
      endPause(false);
      for (const release of waiting) release();
    }
    if (effect === 'refresh' && !isRefreshing) void refresh();
    if (effect === 'take' && grant) {
      const isSame = before.status === 'signed-in' && sid === formerSid;
      emit(isSame ? 'refreshed' : 'signed-in', { user: grant.user });
    }
    if (effect === 'forget' && formerSid && about.signedOut) emit('signed-out', about.signedOut);
    return effect;
  }

  function show(): void {
    const status = STATUS[state];
    const next = status === 'signed-in' && grant ? { status, user: grant.user } : { status };
    if (JSON.stringify(next) === JSON.stringify(snapshot)) return;
    snapshot = next;
    changed();
  }

  /** Another tab may have logged out, or logged in as somebody else, and its message be on the way. */
  function look(): void {
    const seen = store.read().sid;
    if (!store.isShared() || seen === sid || (seen && seen === endedSid)) return;
    if (seen) step('replaced', { sid: seen });
    else step('ended', { signedOut: { reason: 'logout' } });
  }

  async function refresh(): Promise<void> {
    isRefreshing = true;
    let failures = 0;
    while (WANTS_TOKEN[state]) {
      failure = undefined;
      await takeTurn(() => refreshOnce(failures > 0));
      const { status = 0, retryAfterSeconds = 0 } = (failure as AuthError | undefined) ?? {};
      if (!failure || !WANTS_TOKEN[state]) continue;
      if (isHopeless(status)) {
        for (const release of waiting) release(failure);
        break;
      }
      await waitAfter(failures, Math.min(retryAfterSeconds, LONGEST_RETRY_AFTER_SECONDS) * 1000);
      failures += 1;
    }
    isRefreshing = false;
  }

  async function refreshOnce(isRepeated: boolean): Promise<void> {
    look();
    if (WANTS_TOKEN[state] && !isRepeated && store.read().sent) {
      await pause(CUT_OFF_MS);
      look();
    }
    if (!WANTS_TOKEN[state]) return; // another tab has brought one, or the session has ended

    const began = epoch;
    const { key = newKey(), previous } = store.read();
    store.write({ ...store.read(), key, sent: true });
    const sentAt = environment.now();
    try {
      const got = await routes.refresh(`this=:${key}:${previous ? `, previous=:${previous}:` : ''}`);
      look();
      if (epoch !== began) {
        if (step('outdated') === 'log out again') await routes.logout().catch(() => undefined);
        return;
      }
      if (store.read().key === key) store.write({ sid: got.sid, key: newKey(), previous: key });
      granted(got, sentAt, false);
    } catch (error) {
      look();
      if (epoch !== began) return;
      if (error instanceof Refused) {
        const signedOut = { reason: 'refused', detail: error.detail } as const;
        store.write({});
        tell({ ended: sid, signedOut });
        step('refused', { signedOut });
        return;
      }
      failure = error as AuthError;
      // Any answer says that none is on the way.
      if (failure.status && store.read().key === key) store.write({ ...store.read(), sent: false });
      step('failed');
      emit('offline', { error: failure });
    }
  }

  /** Grows, has a random part, and is not shorter than the gateway asks for. */
  function waitAfter(failures: number, atLeastMs: number): Promise<void> {
    const [random = 0] = environment.random(1);
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + random / 510);
    return new Promise((resolve) => {
      const timer = environment.setTimeout(resolve, atLeastMs + ms);
      endPause = (isOnline) => {
        if (isOnline && atLeastMs) return;
        environment.clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Times are counted from when the token was asked for. */
  function granted(got: Grant, askedAt: number, isNew: boolean): void {
    const end = askedAt + got.lifetimeMs;
    tell({ token: got.token, leftMs: end - environment.now(), isNew });
    step('granted', { grant: got, endsAt: end });
  }

  function tell(message: Message): void {
    attempt(() => channel?.postMessage(message));
  }

  function hear(message: Message): void {
    if ('ended' in message) {
      if (sid && message.ended === sid) step('ended', message);
      return;
    }
    const got = readGrant(message.token);
    const end = environment.now() + message.leftMs;
    if (got && (got.sid === sid ? end > endsAt : message.isNew)) step('granted', { grant: got, endsAt: end });
  }

  /** The token that can be sent now. */
  function usable(): string | undefined {
    return STATUS[state] === 'signed-in' && environment.now() < endsAt ? grant?.token : undefined;
  }

  async function getAccessToken(): Promise<string | undefined> {
    look();
    if (environment.now() >= renewAt) step('wanted');
    const token = usable();
    if (token || !WANTS_TOKEN[state]) return token;
    await new Promise<void>((resolve, reject) => {
      const release = (error?: AuthError): void => {
        environment.clearTimeout(timer);
        waiting.delete(release);
        if (error) reject(error);
        else resolve();
      };
      const timeUp = (): void => release(failure ?? new AuthError(0, 'The gateway did not answer in time'));
      const timer = environment.setTimeout(timeUp, CALLER_MS);
      waiting.add(release);
    });
    return usable();
  }

  if (channel) channel.onmessage = ({ data }: { data: Message }) => hear(data);
  environment.onOnline?.(() => endPause(true));
  if (state === 'resuming') step('wanted');

  return {
    login: ({ email, password }) =>
      takeTurn(async () => {
        const askedAt = environment.now();
        const got = await routes.login(JSON.stringify({ email, password }));
        store.write({ sid: got.sid, key: newKey() });
        granted(got, askedAt, true);
        return got.user;
      }),
    logout: () => {
      step('leave');
      return takeTurn(async () => {
        await routes.logout().catch((error) => {
          step('stayed');
          throw error;
        });
        const signedOut = { reason: 'logout' } as const;
        store.write({});
        tell({ ended: sid, signedOut });
        step('ended', { signedOut });
      });
    },
    fetch: createAuthorizedFetch({
      send,
      origins: new Set([base.origin, origin, ...(options.allowedOrigins ?? []).map((one) => new URL(one).origin)]),
      getAccessToken,
      session: () => sid,
      refuse: (token) => {
        if (grant?.token === token) renewAt = endsAt = 0;
      },
    }),
    getAccessToken,
    state: () => snapshot,
    subscribe: (listener) => {
      if (state === 'unknown') step('wanted');
      return subscribe(listener);
    },
    on,
  };
}

/** What another try will not change: the gateway is not there, or does not want this page. */
function isHopeless(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status);
}
