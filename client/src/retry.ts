/** A request that is repeated until it is settled: a refresh or a logout. (Interface 13) */
import type { AuthError } from './auth-error.js';
import { atMost, type Environment } from './environment.js';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export interface Retry {
  /**
   * Starts to try unless that is under way.
   * @param askedMs how long the gateway has asked to wait; after a first wait, even for 0
   */
  begin(askedMs?: number): void;
  /** Settles once nothing is wanted any more, or more tries would not help. */
  settled(): Promise<void> | undefined;
  /** Ends the wait between tries. The return of the network does not end a wait that the gateway asked for. */
  hurry(isOnline?: boolean): void;
  /** Why the last try failed. */
  failure(): AuthError | undefined;
  /** @param isAskedFor by the gateway, so that the return of the network does not end it */
  pause(ms: number, isAskedFor: boolean): Promise<void>;
}

/** True if another try would not help: there is no gateway at this URL, or it refuses this page. */
export const isFinal = ({ status }: AuthError): boolean => status > 401 && status < 408;

export const retryAfterMs = ({ retryAfterSeconds = 0 }: AuthError): number => retryAfterSeconds * 1000;

/**
 * @param tryOnce returns why it has to be tried again after a wait
 * @param isOver true if it is not tried again after all
 */
export function createRetry(
  isWanted: () => boolean,
  tryOnce: () => Promise<AuthError | undefined>,
  isOver: (failure: AuthError) => boolean,
  environment: Environment,
): Retry {
  let running: Promise<void> | undefined;
  let failure: AuthError | undefined;
  let hurry = (_isOnline?: boolean): void => undefined;

  async function run(askedMs?: number): Promise<void> {
    if (askedMs !== undefined) await rest(askedMs, 0);
    for (let failures = 0; isWanted(); failures += 1) {
      failure = await tryOnce();
      if (!failure || !isWanted()) continue;
      if (isOver(failure)) break;
      await rest(retryAfterMs(failure), failures);
    }
    running = undefined;
  }

  function rest(askedMs: number, failures: number): Promise<void> {
    const [random = 0] = environment.random(1);
    const ownMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.5 + random / 510);
    return pause(Math.min(LONGEST_RETRY_AFTER_MS, askedMs) + ownMs, askedMs > 0);
  }

  function pause(ms: number, isAskedFor: boolean): Promise<void> {
    const hurried = new Promise<void>((resolve) => {
      hurry = (isOnline) => {
        if (!isOnline || !isAskedFor) resolve();
      };
    });
    return atMost(ms, hurried, environment, true);
  }

  return {
    begin: (askedMs) => {
      running ??= run(askedMs);
    },
    settled: () => running,
    hurry: (isOnline) => hurry(isOnline),
    failure: () => failure,
    pause,
  };
}
