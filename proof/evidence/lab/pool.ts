/** Things of which each is in one pair of hands at a time. */

export interface Pool<T> {
  /** @throws if none is free: there are fewer than lanes */
  use<Result>(work: (item: T) => Promise<Result>): Promise<Result>;
}

export function poolOf<T>(items: readonly T[]): Pool<T> {
  const free = [...items];
  return {
    use: async (work) => {
      const item = free.pop();
      if (item === undefined) throw new Error('there are fewer things than lanes');
      try {
        return await work(item);
      } finally {
        free.push(item);
      }
    },
  };
}
