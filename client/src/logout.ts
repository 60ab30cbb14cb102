/** The logout, repeated until the gateway confirms it or somebody logs in. (Interface 13) */
import type { AuthError } from './auth-error.js';
import type { Environment } from './environment.js';
import type { Refresh } from './refresh.js';
import { createRetry, isFinal, type Retry, retryAfterMs } from './retry.js';
import { type Ask, messageOf } from './routes.js';
import type { Session } from './session.js';
import type { Store } from './store.js';
import type { TakeTurn } from './turns.js';

export interface Logout extends Pick<Retry, 'begin' | 'hurry'> {
  /**
   * Tries in the next turn.
   * @returns why the gateway has not confirmed it
   */
  ask(): Promise<AuthError | undefined>;
  /** True if somebody has asked and the turn has not come yet. */
  isAsked(): boolean;
}

/** @param confirmed reports the end of the session to all tabs */
export function createLogout(
  session: Session,
  store: Store,
  ask: Ask,
  takeTurn: TakeTurn,
  environment: Environment,
  { answered }: Pick<Refresh, 'answered'>,
  confirmed: () => void,
): Logout {
  /** How many have asked whose turn has not come yet */
  let asked = 0;
  /** How many have asked and have no answer yet */
  let waiting = 0;

  /**
   * Tabs, and pages that are loaded later, go on with it.
   * @param sentBy the page that is to be waited for
   */
  function mark(sentBy: string): void {
    store.write({ ...store.read(), sentBy, isLeaving: true });
    session.step('leave');
  }

  async function tryAsked(): Promise<AuthError | undefined> {
    asked -= 1;
    markAsked(); // again: another tab may have replaced what was stored
    const failure = await tryNow();
    waiting -= 1;
    if (failure && session.isLeaving()) retry.begin(retryAfterMs(failure));
    return failure;
  }

  /** An earlier request of another page stays marked, because it is not waited for. */
  const markAsked = (): void => mark(store.read().sentBy ?? store.page);

  async function tryAgain(): Promise<AuthError | undefined> {
    await answered(); // to a page that has tried the same and was closed
    session.look();
    if (!session.isLeaving()) return undefined;
    mark(store.page);
    return tryNow();
  }

  async function tryNow(): Promise<AuthError | undefined> {
    const failure = await ask('logout', messageOf).then(
      () => undefined,
      (error: AuthError) => error,
    );
    session.look();
    if (!session.isLeaving()) return failure; // somebody has logged in, or the gateway has confirmed it to another tab
    if (!failure) confirmed();
    else if (failure.kind !== 'refused' || !isFinal(failure)) session.step('failed', { error: failure });
    else {
      store.write({ ...store.read(), isLeaving: undefined });
      session.step('stayed');
    }
    return failure;
  }

  const again = (): Promise<AuthError | undefined> => takeTurn(tryAgain);
  const retry = createRetry(session.isLeaving, again, () => false, environment);
  return {
    // The one who asked goes first: in this tab, or in the one that has sent a message.
    begin: () => waiting || retry.begin(0),
    hurry: retry.hurry,
    isAsked: () => asked > 0,
    ask: () => {
      asked += 1;
      waiting += 1;
      markAsked();
      return takeTurn(tryAsked);
    },
  };
}
