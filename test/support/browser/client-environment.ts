/// <reference lib="dom" />
/** What the client has in a browser, made of what Node has: tabs with shared cookies, storage, locks and channels. */
import { randomBytes } from 'node:crypto';
import type { Environment } from '../../../client/src/environment.js';
import type { KeyValueStorage } from '../../../client/src/types.js';
import { type CookieJar, cookieFetch } from './cookie-fetch.js';

export interface Browser {
  jar: CookieJar;
  storage: KeyValueStorage & { items: Map<string, string> };
  /**
   * Of one tab: its own clock and timers, the rest is shared. What is given goes before.
   * @param send carries its requests, the network unless given
   */
  tab(differences?: Partial<Environment>, send?: typeof fetch): Environment;
  /** Ends what the tabs have open. */
  close(): void;
}

let browsers = 0;

/** A browser that has never been there. Its pages are those of the origin. */
export function startBrowser(origin: string): Browser {
  browsers += 1;
  const prefix = `browser ${browsers} `;
  const jar: CookieJar = { refreshToken: undefined };
  const storage = memoryStorage();
  const channels: BroadcastChannel[] = [];
  return {
    jar,
    storage,
    tab: (differences = {}, send) => ({
      fetch: cookieFetch(jar, send).fetch,
      now: () => performance.now(),
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      random: (bytes) => randomBytes(bytes),
      locks: locksOf(prefix),
      openChannel: (name) => {
        const channel = new BroadcastChannel(prefix + name);
        channels.push(channel);
        return channel;
      },
      storage,
      origin,
      ...differences,
    }),
    close: () => {
      for (const channel of channels) channel.close();
    },
  };
}

export function memoryStorage(): Browser['storage'] {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** Those of Node are of the whole process. */
function locksOf(prefix: string): NonNullable<Environment['locks']> {
  const request = (name: string, ...rest: [never, never]) => navigator.locks.request(prefix + name, ...rest);
  return { request: request as typeof navigator.locks.request };
}
