/** What the client needs of where it runs, so that a model can run it in a time of its own. */
import type { KeyValueStorage } from './types.js';

export interface Environment {
  fetch: typeof fetch;
  /** Milliseconds, monotonic. Pages that share a storage count from the same moment. */
  now(): number;
  /** @returns what cancels it */
  after(ms: number, run: () => void): () => void;
  random(bytes: number): Uint8Array;
  locks?: Pick<Navigator['locks'], 'request'> | undefined;
  openChannel?(name: string): Pick<BroadcastChannel, 'postMessage' | 'onmessage' | 'close'>;
  storage?: KeyValueStorage | undefined;
  /** The page's own */
  origin: string;
  onOnline?(listener: () => void): unknown;
}

/** @returns undefined where it throws, as what a browser has switched off does */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Waits until the promise is fulfilled, or the time is up. */
export async function atMost(
  ms: number,
  promise: Promise<unknown> | undefined,
  environment: Environment,
): Promise<void> {
  let cancel = (): void => undefined;
  const timeUp = new Promise<void>((resolve) => {
    cancel = environment.after(ms, resolve);
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
