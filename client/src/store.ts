/** The session ID and its retry keys, in storage that tabs share, otherwise in memory. (Interface 13) */
import type { Environment } from './environment.js';
import type { KeyValueStorage } from './types.js';

/** About the session of the browser's cookie. Keys are base64. */
export interface Stored {
  sid?: string | undefined;
  /** Retry key of the next rotation */
  key?: string | undefined;
  /** Retry key of the last rotation */
  previous?: string | undefined;
  /** The page that last requested a rotation or a logout, until its answer is known. */
  sentBy?: string | undefined;
  /** A logout is wanted that the gateway has not confirmed. */
  isLeaving?: boolean | undefined;
  /** After a 429: no refresh before this time, by `now` of the environment. */
  notBefore?: number | undefined;
}

export interface Store {
  /** Identifies this page among all that share the storage */
  readonly page: string;
  /** True if other tabs, and this page after a reload, see the same. */
  isShared(): boolean;
  read(): Stored;
  /** `sentBy`, unless it is this page. */
  sentByOther(): string | undefined;
  /** Removes the entry if there is neither a session nor a pending request or logout. */
  write(stored: Stored): void;
}

/** 32 random bytes */
export function newKey({ random }: Environment): string {
  return btoa(String.fromCharCode(...random(32)));
}

export function createStore(name: string, storage: KeyValueStorage | undefined, environment: Environment): Store {
  let memory: Stored = {};
  let shared = storage;

  /** Storage that has thrown once is not used again: full storage would return outdated values. */
  const use = (run: (storage: KeyValueStorage) => void): void => {
    try {
      if (shared) run(shared);
    } catch {
      shared = undefined;
    }
  };

  use((it) => {
    it.setItem(`${name}?`, '');
    it.removeItem(`${name}?`);
  });
  const store: Store = {
    page: newKey(environment),
    isShared: () => !!shared,
    read: () => {
      use((it) => {
        memory = JSON.parse(it.getItem(name) ?? '{}');
      });
      return memory;
    },
    sentByOther: () => {
      const { sentBy } = store.read();
      return sentBy === store.page ? undefined : sentBy;
    },
    write: (stored) => {
      memory = stored;
      use((it) =>
        stored.sid || stored.sentBy || stored.isLeaving
          ? it.setItem(name, JSON.stringify(stored))
          : it.removeItem(name),
      );
    },
  };
  return store;
}
