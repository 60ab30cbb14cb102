/** Spec 4.2 and Interface 12: the refresh, repeated until it is settled. */
import { AuthError } from './auth-error.js';
import { atMost, type Environment } from './environment.js';
import { type Grant, grantOf } from './grant.js';
import { type Ask, messageOf } from './routes.js';
import type { Session } from './session.js';
import { newKey, type Store, type Stored } from './store.js';
import type { Event } from './table.js';
import type { TakeTurn } from './turns.js';
import type { AuthEvents } from './types.js';

/** How long the request of a closed page, and its answer, may still be in flight. */
export const CUT_OFF_MS = 2_500;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
/** Longest wait taken over from the 429 of another page, whose clock may differ. */
const LONGEST_SHARED_MS = 60_000;

/** Reports results to all tabs. */
interface Tabs {
  granted(got: Grant, askedAt: number): void;
  end(event: Event, signedOut: AuthEvents['signed-out']): void;
}

export interface Refresh {
  /** Starts a refresh unless one is running. */
  begin(): void;
  /** Settles with the running refresh: there is a token, the session has ended, or more tries would not help. */
  settled(): Promise<void> | undefined;
  /** Waits until the request of a closed page must have been answered. */
  answered(): Promise<void>;
  /** Ends the wait between tries. The return of the network does not end a wait that the gateway asked for. */
  hurry(isOnline?: boolean): void;
  /** Why the last try failed. */
  failure(): AuthError | undefined;
}

export function createRefresh(
  session: Session,
  store: Store,
  ask: Ask,
  takeTurn: TakeTurn,
  environment: Environment,
  { granted, end }: Tabs,
): Refresh {
  const { page } = store;
  let running: Promise<void> | undefined;
  let failure: AuthError | undefined;
  let hurry = (_isOnline?: boolean): void => undefined;

  async function refresh(): Promise<void> {
    for (let failures = 0; session.isWanted(); failures += 1) {
      failure = await takeTurn(tryOnce);
      if (!failure || !session.isWanted()) continue;
      const { status, retryAfterSeconds = 0 } = failure;
      // Another try would not help: there is no gateway at this URL, or it refuses this page.
      if (status > 401 && status < 408) break;
      const [random = 0] = environment.random(1);
      const ownMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + random / 510);
      await pause(Math.min(LONGEST_RETRY_AFTER_MS, retryAfterSeconds * 1000) + ownMs, retryAfterSeconds > 0);
    }
    running = undefined;
  }

  /** @param isAskedFor by the gateway, so that the return of the network does not end it */
  function pause(ms: number, isAskedFor: boolean): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      hurry = (isOnline) => {
        if (!isOnline || !isAskedFor) resolve();
      };
    });
    return atMost(ms, hurried, environment, true);
  }

  function failed(error: AuthError): AuthError {
    session.step('failed');
    session.emit('offline', { error });
    return error;
  }

  async function answered(before?: string): Promise<void> {
    const { sentBy } = store.read();
    if (!sentBy || sentBy === page || sentBy === before) return;
    await pause(CUT_OFF_MS, true);
    await answered(sentBy); // another page without the lock may have sent a request in the meantime
  }

  /** @returns why it has to be tried again after a wait */
  async function tryOnce(): Promise<AuthError | undefined> {
    await answered();
    session.look();
    if (!session.isWanted()) return undefined; // another tab has obtained a token, or the session has ended

    const limitedMs = (store.read().notBefore ?? 0) - environment.now();
    if (limitedMs > 0 && limitedMs <= LONGEST_SHARED_MS) {
      const seconds = Math.ceil(limitedMs / 1000);
      return failed(new AuthError('refused', 429, 'Too many requests, try again later', seconds, 'rate_limited'));
    }

    const { epoch } = session;
    const sent = { key: newKey(environment), ...store.read(), sentBy: page };
    const { key, previous } = sent;
    store.write(sent);
    /** Stores the result unless another tab has already stored the same answer. A newer request of another page stays marked. */
    const storeResult = (next: Stored): void => {
      const now = store.read();
      if (now.key === key) store.write({ ...next, sentBy: now.sentBy === page ? undefined : now.sentBy });
    };
    const askedAt = environment.now();
    const field = `this=:${key}:${previous ? `, previous=:${previous}:` : ''}`;
    try {
      const got = await ask('refresh', grantOf, { 'refresh-retry': field });
      session.look();
      if (session.epoch === epoch) {
        // `previous` is the key of the rotation that set the cookie
        storeResult({ sid: got.sid, key: newKey(environment), previous: got.retry === 'previous' ? previous : key });
        granted(got, askedAt);
      } else if (session.step('outdated')) {
        await ask('logout', messageOf).catch(() => undefined);
      }
    } catch (thrown) {
      const error = thrown as AuthError;
      session.look();
      if (session.epoch !== epoch) return undefined;
      const { kind, status, retryAfterSeconds = 0 } = error;
      const isOurs = kind === 'refused';
      if (!isOurs || status !== 401) {
        const notBefore = status === 429 ? environment.now() + retryAfterSeconds * 1000 : undefined;
        if (isOurs || status > 401) storeResult({ ...sent, notBefore }); // this page has no request in flight any more
        return failed(error);
      }
      end('refused', { reason: 'refused', detail: error.detail });
    }
    return undefined;
  }

  return {
    begin: () => {
      running ??= refresh();
    },
    settled: () => running,
    answered,
    hurry: (isOnline) => hurry(isOnline),
    failure: () => failure,
  };
}
