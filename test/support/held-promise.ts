/** A promise that the test fulfils. */
export interface HeldPromise {
  promise: Promise<void>;
  end(): void;
}

export function hold(): HeldPromise {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, end: resolve };
}
