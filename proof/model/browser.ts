/** What the pages of one browser share: storage, locks and channels, and its monotonic clock. */
import type { Environment } from '../../client/src/environment.js';
import type { KeyValueStorage } from '../../client/src/types.js';
import type { VirtualTime } from './virtual-time.js';

/** A page, which may be gone while what it has asked for goes on. */
export interface Page {
  name: string;
  isGone(): boolean;
}

export interface Shared {
  storage: KeyValueStorage;
  locksOf(page: Page): Locks;
  channelOf(page: Page, name: string): Channel;
  /** The page's locks are given on, and nothing is said to it any more. */
  forget(page: Page): void;
}

type Locks = NonNullable<Environment['locks']>;
type Channel = ReturnType<NonNullable<Environment['openChannel']>>;

interface Wanted {
  page: Page;
  name: string;
  grant(): void;
}

/** How long a message from page to page takes: milliseconds */
const CHANNEL_MS = 5;

export function createShared(time: VirtualTime, keep: (value: string) => string): Shared {
  const stored = new Map<string, string>();
  const held: Wanted[] = [];
  let waiting: Wanted[] = [];
  const channels = new Set<{ page: Page; name: string; channel: Channel }>();

  const grantNext = (): void => {
    for (const wanted of waiting) {
      if (held.some(({ name }) => name === wanted.name)) continue;
      waiting = waiting.filter((other) => other !== wanted);
      held.push(wanted);
      time.after(0, wanted.grant);
    }
  };
  const release = (lock: Wanted): void => {
    const at = held.indexOf(lock);
    if (at !== -1) held.splice(at, 1);
    grantNext();
  };

  /** Web Locks: exclusive ones, first come, first served. */
  const request = (
    page: Page,
    name: string,
    options: LockOptions,
    act: LockGrantedCallback<unknown>,
  ): Promise<unknown> => {
    if (options.steal || options.mode === 'shared') throw new Error('a lock is asked for as it must not be');
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { signal, ifAvailable } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (ifAvailable && held.some((lock) => lock.name === name)) return Promise.resolve(act(null));
    const wanted: Wanted = {
      page,
      name,
      grant: () => {
        if (page.isGone()) return release(wanted);
        const done = (): void => release(wanted);
        const acted = (async () => act({ name, mode: 'exclusive' }))();
        void acted.then(done, done);
        resolve(acted);
      },
    };
    signal?.addEventListener('abort', () => {
      if (!waiting.includes(wanted)) return; // granted
      waiting = waiting.filter((other) => other !== wanted);
      reject(signal.reason);
    });
    waiting.push(wanted);
    grantNext();
    return promise;
  };

  return {
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, keep(value)),
      removeItem: (key) => void stored.delete(key),
    },
    locksOf: (page) => ({
      request: ((
        name: string,
        ...rest: [LockGrantedCallback<unknown>] | [LockOptions, LockGrantedCallback<unknown>]
      ) => (rest.length === 1 ? request(page, name, {}, rest[0]) : request(page, name, ...rest))) as Locks['request'],
    }),
    channelOf: (page, name) => {
      const channel: Channel = {
        onmessage: null,
        postMessage: (data) => {
          const copy = structuredClone(data);
          for (const other of channels) {
            if (other.name !== name || other.page === page) continue;
            time.after(CHANNEL_MS, () => {
              const { onmessage } = other.channel;
              if (!other.page.isGone())
                onmessage?.call(other.channel as BroadcastChannel, new MessageEvent('message', { data: copy }));
            });
          }
        },
        close: () => void channels.delete(entry),
      };
      const entry = { page, name, channel };
      channels.add(entry);
      return channel;
    },
    forget: (page) => {
      for (const entry of channels) if (entry.page === page) channels.delete(entry);
      waiting = waiting.filter((wanted) => wanted.page !== page);
      for (const lock of held.filter((lock) => lock.page === page)) release(lock);
    },
  };
}
