/** Who is told what happens. A listener that throws harms nobody else, and its error is not swallowed. */
import type { Environment } from './environment.js';
import type { AuthClient, AuthEvents } from './types.js';

export interface Listeners extends Pick<AuthClient, 'on' | 'subscribe'> {
  emit<E extends keyof AuthEvents>(event: E, happened: AuthEvents[E]): void;
  /** The state has. */
  changed(): void;
}

export function createListeners({ setTimeout }: Environment): Listeners {
  const all = new Set<(event: string, happened: unknown) => void>();

  const add = (event: string, listener: (happened: never) => void): (() => void) => {
    const hears = (told: string, happened: unknown): void => {
      if (told === event) listener(happened as never);
    };
    all.add(hears);
    return () => void all.delete(hears);
  };

  const tell = (event: string, happened?: unknown): void => {
    for (const hears of all) {
      try {
        hears(event, happened);
      } catch (error) {
        setTimeout(() => {
          throw error;
        }, 0);
      }
    }
  };

  return { on: add, subscribe: (listener) => add('', listener), emit: tell, changed: () => tell('') };
}
