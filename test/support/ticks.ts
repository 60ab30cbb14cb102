const TICK_MS = 10;

/**
 * How long work takes on a clock that goes only while this process runs: a tick that a busy machine delays counts as one.
 * For work that waits; what it computes is in `process.cpuUsage()`.
 */
export async function ticked<T>(work: () => Promise<T>): Promise<[done: T, ms: number]> {
  let ticks = 0;
  const clock = setInterval(() => {
    ticks += 1;
  }, TICK_MS);
  try {
    return [await work(), ticks * TICK_MS];
  } finally {
    clearInterval(clock);
  }
}
