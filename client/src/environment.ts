/** What the client needs of where it runs, so that a model can run it in a time of its own. */
import type { KeyValueStorage } from './types.js';

export interface Environment {
  fetch: typeof fetch;
  /** Milliseconds, monotonic */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  random(bytes: number): Uint8Array;
  locks?: Pick<Navigator['locks'], 'request'> | undefined;
  openChannel?(name: string): Pick<BroadcastChannel, 'postMessage' | 'onmessage' | 'close'>;
  storage?: KeyValueStorage | undefined;
  /** The page's own */
  origin: string;
  /** @returns what ends it */
  onOnline?(listener: () => void): () => void;
}

/** @returns undefined where it throws, as what a browser has switched off does */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
