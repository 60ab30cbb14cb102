/** Reports the progress of an export or import. */

const INTERVAL_MS = 5_000;

export interface Progress {
  /** Names the current step. */
  at(what: string): void;
  bytes(count: number): void;
  stop(): void;
}

/** @param report receives a line every five seconds, with the megabytes of rows so far */
export function startProgress(report: (line: string) => void): Progress {
  let what: string | undefined;
  let total = 0;
  const timer = setInterval(() => {
    if (what !== undefined) report(`${what}: ${Math.round(total / 1e6)} MB of rows so far`);
  }, INTERVAL_MS);
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
