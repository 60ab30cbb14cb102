/** What is typed into the explorer, and what is answered, may hold keys and passwords: none of it outlives the page. */
import type { GraphiQLProps } from 'graphiql';

/** GraphiQL would take `localStorage`. What it has to know while the page is open it knows by itself. */
export const NO_STORAGE: NonNullable<GraphiQLProps['storage']> = {
  length: 0,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
};

/** Versions before kept queries, variables and what was run. */
export function removeWhatWasKept(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('graphiql:')) localStorage.removeItem(key);
  } catch {
    // The browser gives this page no storage.
  }
}
