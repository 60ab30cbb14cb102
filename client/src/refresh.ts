/** Spec 4.2 and Interface 12: the refresh, tried until it is settled. */
import { AuthError } from './auth-error.js';
import { atMost, type Environment } from './environment.js';
import { type Grant, grantOf } from './grant.js';
import { type Ask, messageOf } from './routes.js';
import type { Session } from './session.js';
import { type Kept, newKey, type Store } from './store.js';
import type { Event } from './table.js';
import type { TakeTurn } from './turns.js';
import type { AuthEvents } from './types.js';

/** What another page has sent, and not lived to see answered: how long it and its answer may be on the way. */
export const CUT_OFF_MS = 2_500;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
/** The longest wait after a 429 that another page is believed: its clock may be another. */
const LONGEST_SHARED_MS = 60_000;

/** What comes of it, told to all tabs. */
interface Tabs {
  granted(got: Grant, askedAt: number): void;
  end(event: Event, signedOut: AuthEvents['signed-out']): void;
}

export interface Refresh {
  /** Unless one is under way. */
  begin(): void;
  /** When the one that is under way has ended: a token has come, the session is over, or more tries would not help. */
  settled(): Promise<void> | undefined;
  /** What a page that is gone has sent is answered by now, as far as is waited for it. */
  answered(): Promise<void>;
  /** Ends a wait, but one that the gateway asked for does not end because the network is back. */
  hurry(isOnline?: boolean): void;
  /** Why the last try was not the last. */
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
  let underWay: Promise<void> | undefined;
  let failure: AuthError | undefined;
  let hurry = (_isOnline?: boolean): void => undefined;

  async function refresh(): Promise<void> {
    for (let failures = 0; session.isWanted(); failures += 1) {
      failure = await takeTurn(tryOnce);
      if (!failure || !session.isWanted()) continue;
      const { status, retryAfterSeconds = 0 } = failure;
      // What another try will not change: the gateway is not there, or does not want this page.
      if (status > 401 && status < 408) break;
      const [random = 0] = environment.random(1);
      const ownMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + random / 510);
      await pause(Math.min(LONGEST_RETRY_AFTER_MS, retryAfterSeconds * 1000) + ownMs, retryAfterSeconds > 0);
    }
    underWay = undefined;
  }

  /** @param isAskedFor it does not end because the network is back */
  function pause(ms: number, isAskedFor: boolean): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      hurry = (isOnline) => {
        if (!isOnline || !isAskedFor) resolve();
      };
    });
    return atMost(ms, hurried, environment);
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
    await answered(sentBy); // another page, beside the lock, may have asked meanwhile
  }

  /** @returns why it is to be tried again after a wait */
  async function tryOnce(): Promise<AuthError | undefined> {
    await answered();
    session.look();
    if (!session.isWanted()) return undefined; // another tab has brought a token, or the session has ended

    const limitedMs = (store.read().notBefore ?? 0) - environment.now();
    if (limitedMs > 0 && limitedMs <= LONGEST_SHARED_MS) {
      return failed(new AuthError(429, 'Too many requests, try again later', Math.ceil(limitedMs / 1000)));
    }

    const { epoch } = session;
    const kept = { key: newKey(environment), ...store.read(), sentBy: page };
    const { key, previous } = kept;
    store.write(kept);
    /** Unless another tab has had the same answer, and gone on. One that asks meanwhile, without its turn, still does. */
    const keep = (next: Kept): void => {
      const now = store.read();
      if (now.key === key) store.write({ ...next, sentBy: now.sentBy === page ? undefined : now.sentBy });
    };
    const askedAt = environment.now();
    const field = `this=:${key}:${previous ? `, previous=:${previous}:` : ''}`;
    try {
      const got = await ask('refresh', grantOf, { 'refresh-retry': field });
      session.look();
      if (session.epoch === epoch) {
        // The key of the rotation that made the cookie
        keep({ sid: got.sid, key: newKey(environment), previous: got.retry === 'previous' ? previous : key });
        granted(got, askedAt);
      } else if (session.step('outdated')) {
        await ask('logout', messageOf).catch(() => undefined);
      }
    } catch (thrown) {
      const error = thrown as AuthError;
      session.look();
      if (session.epoch !== epoch) return undefined;
      if (error.status !== 401) {
        const { status, retryAfterSeconds = 0 } = error;
        const notBefore = status === 429 ? environment.now() + retryAfterSeconds * 1000 : undefined;
        if (status) keep({ ...kept, notBefore }); // none of this page is on the way any more
        return failed(error);
      }
      end('refused', { reason: 'refused', detail: error.detail });
    }
    return undefined;
  }

  return {
    begin: () => {
      underWay ??= refresh();
    },
    settled: () => underWay,
    answered,
    hurry: (isOnline) => hurry(isOnline),
    failure: () => failure,
  };
}
