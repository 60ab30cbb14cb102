/** Queries and answers may contain keys and passwords, so the explorer stores nothing beyond the page. */
import type { GraphiQLProps } from 'graphiql';

/** Replaces `localStorage`, which GraphiQL would use. It works without. */
export const NO_STORAGE: NonNullable<GraphiQLProps['storage']> = {
  length: 0,
  getItem: () => null,
  setItem: () => undefined,
  removeItem: () => undefined,
  clear: () => undefined,
};

/** Removes queries, variables and history that older versions stored. */
export function removeStoredData(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith('graphiql:')) localStorage.removeItem(key);
  } catch {
    // The browser denies storage to this page.
  }
}
