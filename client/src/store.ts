/** CONTRACT 13: the mark that there is a session, and its retry keys, in storage that tabs share; else in memory. */
import { attempt } from './environment.js';
import type { KeyValueStorage } from './types.js';

/** Of the session that the browser's cookie belongs to. Keys are in base64. */
export interface Kept {
  sid?: string | undefined;
  /** Of the next rotation */
  key?: string | undefined;
  /** Of the last one */
  previous?: string | undefined;
  /** The next rotation was asked for, and nothing is known of its answer. */
  sent?: boolean | undefined;
}

export interface Store {
  /** Other tabs, and this page once it is loaded again, see the same. */
  isShared(): boolean;
  read(): Kept;
  /** An empty one is removed. */
  write(kept: Kept): void;
}

export function createStore(name: string, storage: KeyValueStorage | undefined): Store {
  let memory: Kept = {};
  /** What has thrown once is left alone: a full one would give what was true before. */
  let works =
    storage !== undefined &&
    attempt(() => {
      storage.setItem(`${name}?`, '');
      storage.removeItem(`${name}?`);
      return true;
    });

  const using = (run: (storage: KeyValueStorage) => void): void => {
    if (!works || !storage) return;
    works = attempt(() => {
      run(storage);
      return true;
    });
  };

  return {
    isShared: () => works === true,
    read: () => {
      using((shared) => {
        const text = shared.getItem(name);
        memory = attempt(() => JSON.parse(text ?? '')) ?? {};
      });
      return memory;
    },
    write: (kept) => {
      memory = kept;
      using((shared) => {
        if (kept.sid) shared.setItem(name, JSON.stringify(kept));
        else shared.removeItem(name);
      });
    },
  };
}
