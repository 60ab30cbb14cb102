/** What the client uses of its environment, so that a model can run it with simulated time. */
import type { KeyValueStorage } from './types.js';

export interface Environment {
  fetch: typeof fetch;
  /** Monotonic time in milliseconds; pages that share storage count from the same origin. */
  now(): number;
  /**
   * @param isIdle nobody waits for it, so it keeps no process alive
   * @returns a function that cancels the timer
   */
  after(ms: number, run: () => void, isIdle?: boolean): () => void;
  random(bytes: number): Uint8Array;
  locks?: Pick<Navigator['locks'], 'request'> | undefined;
  /** To pages of the same origin. Only opened if `storage` is used, so that they share the session anyway. */
  openChannel?(name: string): Pick<BroadcastChannel, 'postMessage' | 'onmessage' | 'close'>;
  /** The page's own */
  storage?: KeyValueStorage | undefined;
  /** Origin of the page; empty outside a browser */
  origin: string;
  onOnline?(listener: () => void): unknown;
}

/** @returns undefined if `run` throws, as disabled browser features do */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Waits for the promise, at most for the given time. */
export async function atMost(
  ms: number,
  promise: Promise<unknown> | undefined,
  environment: Environment,
  isIdle?: boolean,
): Promise<void> {
  let cancel = (): void => undefined;
  const timeUp = new Promise<void>((resolve) => {
    cancel = environment.after(ms, resolve, isIdle);
  });
  await Promise.race([promise, timeUp]);
  cancel();
}

/** @throws the reason of the signal, once it is aborted */
export function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    void promise.then(resolve).finally(() => signal.removeEventListener('abort', abort));
  });
}
