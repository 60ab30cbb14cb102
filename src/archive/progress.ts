/** How far an export or import is, for whoever waits. */

/** How often it is told: milliseconds. */
const EVERY_MS = 5_000;

export interface Progress {
  /** From now on it is about this. */
  at(what: string): void;
  bytes(count: number): void;
  stop(): void;
}

/** @param tell is given a line every five seconds, with the megabytes of rows so far */
export function startProgress(tell: (line: string) => void): Progress {
  let what: string | undefined;
  let total = 0;
  const timer = setInterval(() => {
    if (what !== undefined) tell(`${what}: ${Math.round(total / 1e6)} MB of rows so far`);
  }, EVERY_MS);
  timer.unref();
  return {
    at: (next) => {
      what = next;
    },
    bytes: (count) => {
      total += count;
    },
    stop: () => clearInterval(timer),
  };
}
