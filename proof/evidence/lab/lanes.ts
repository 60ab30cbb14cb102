/** Work in several lanes at once. */

/** Does each of the `items` once, `atOnce` at a time. @throws the first failure */
export async function inLanes<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** The numbers from 0 to `count` - 1. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
