/** The refresh, repeated until it is settled. (Spec 4.2 and Interface 12) */
import { AuthError } from './auth-error.js';
import type { Environment } from './environment.js';
import { type Grant, grantOf } from './grant.js';
import { createRetry, isFinal, type Retry } from './retry.js';
import { type Ask, messageOf } from './routes.js';
import type { Session } from './session.js';
import { newKey, type Store, type Stored } from './store.js';
import type { Event } from './table.js';
import type { TakeTurn } from './turns.js';
import type { AuthEvents } from './types.js';

/** How long the request of a closed page, and its answer, may still be in flight. */
export const CUT_OFF_MS = 2_500;
/** Longest wait taken over from the 429 of another page, whose clock may differ. */
const LONGEST_SHARED_MS = 60_000;

/** Reports results to all tabs. */
interface Tabs {
  granted(got: Grant, askedAt: number): void;
  end(event: Event, signedOut: AuthEvents['signed-out']): void;
}

export interface Refresh extends Retry {
  /**
   * Waits until the request of a closed page must have been answered.
   * @param pause a wait that can be ended early; by default one that cannot
   */
  answered(pause?: Retry['pause']): Promise<void>;
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
  const retry = createRetry(session.isWanted, () => takeTurn(tryOnce), isFinal, environment);

  function failed(error: AuthError): AuthError {
    session.step('failed');
    session.emit('offline', { error });
    return error;
  }

  async function answered(pause: Retry['pause'] = wait, before?: string): Promise<void> {
    const sentBy = store.sentByOther();
    if (!sentBy || sentBy === before) return;
    await pause(CUT_OFF_MS, true);
    await answered(pause, sentBy); // another page without the lock may have sent a request in the meantime
  }

  const wait = (ms: number): Promise<void> => new Promise((resolve) => environment.after(ms, resolve));

  /** @returns why it has to be tried again after a wait */
  async function tryOnce(): Promise<AuthError | undefined> {
    await answered(retry.pause);
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
    const isSame = (): boolean => session.epoch === epoch;
    /** Nobody waits for the answer any more. `next` is stored, unless another tab has stored the same answer, or more. */
    const settle = (next: Stored): void => {
      const now = store.read();
      store.write({ ...(isSame() && now.key === key ? next : now), sentBy: store.sentByOther() });
    };
    const askedAt = environment.now();
    const field = `this=:${key}:${previous ? `, previous=:${previous}:` : ''}`;
    try {
      const got = await ask('refresh', grantOf, null, { 'refresh-retry': field });
      session.look();
      // This page stays marked until the answer, which deletes the cookie: a login waits for it if the page is gone.
      if (!isSame() && session.step('outdated')) await ask('logout', messageOf);
      // `previous` is the key of the rotation that set the cookie
      settle({ sid: got.sid, key: newKey(environment), previous: got.retry === 'previous' ? previous : key });
      if (isSame()) granted(got, askedAt);
    } catch (thrown) {
      const error = thrown as AuthError;
      session.look();
      const { kind, status, retryAfterSeconds = 0 } = error;
      const isOurs = kind === 'refused';
      const notBefore = status === 429 ? environment.now() + retryAfterSeconds * 1000 : undefined;
      if (isOurs || status > 401) settle({ ...sent, notBefore });
      if (!isSame()) return undefined;
      if (!isOurs || status !== 401) return failed(error);
      end('refused', { reason: 'refused', detail: error.detail });
    }
    return undefined;
  }

  return { ...retry, answered };
}
