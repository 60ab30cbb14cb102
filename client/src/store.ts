/** Interface 13: the mark that there is a session, and its retry keys, in storage that tabs share; else in memory. */
import type { Environment } from './environment.js';
import type { KeyValueStorage } from './types.js';

/** Of the session that the browser's cookie belongs to. Keys are in base64. */
export interface Kept {
  sid?: string | undefined;
  /** Of the next rotation */
  key?: string | undefined;
  /** Of the last one */
  previous?: string | undefined;
  /** The page that has asked for the next rotation or a logout last, and nothing is known of its answer. */
  sentBy?: string | undefined;
  /** Until then the gateway wants no refresh: it has answered one with 429. By `now` of the environment. */
  notBefore?: number | undefined;
}

export interface Store {
  /** This page, among all that share it */
  readonly page: string;
  /** Other tabs, and this page once it is loaded again, see the same. */
  isShared(): boolean;
  read(): Kept;
  /** An empty one is removed. */
  write(kept: Kept): void;
}

/** 32 random bytes */
export function newKey({ random }: Environment): string {
  return btoa(String.fromCharCode(...random(32)));
}

export function createStore(name: string, storage: KeyValueStorage | undefined, environment: Environment): Store {
  let memory: Kept = {};
  let shared = storage;

  /** What has thrown once is left alone: one that is full would give what was true before. */
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
  return {
    page: newKey(environment),
    isShared: () => !!shared,
    read: () => {
      use((it) => {
        memory = JSON.parse(it.getItem(name) ?? '{}');
      });
      return memory;
    },
    write: (kept) => {
      memory = kept;
      use((it) => (kept.sid || kept.sentBy ? it.setItem(name, JSON.stringify(kept)) : it.removeItem(name)));
    },
  };
}
