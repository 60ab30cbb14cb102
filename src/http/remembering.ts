/** Caches a result by short text that recurs, such as the `Accept` of a client. */
import { LRUCache } from 'lru-cache';

/**
 * @param max texts that are remembered at a time, the latest used ones
 * @returns the result of `work` for a text; it may depend on the text alone
 */
export function remembering<Value extends NonNullable<unknown>>(max: number) {
  const known = new LRUCache<string, Value>({ max });
  return (text: string, work: () => Value): Value => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = work();
    known.set(text, value);
    return value;
  };
}
