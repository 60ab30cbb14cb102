/** Time that passes only on request: timers run in order, one after the other. */

export interface VirtualTime {
  /** Milliseconds since the beginning, as the browser's monotonic clock has them */
  now(): number;
  /** Runs it so many milliseconds from now. @returns what `cancel` takes */
  after(ms: number, run: () => unknown): object;
  cancel(timer: unknown): void;
  /** Lets so much time pass, and all that is due in it happen. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until `isDone`. @returns false if it was not so within `limitMs` */
  passUntil(isDone: () => boolean, limitMs: number): Promise<boolean>;
  /** Time has passed in which nothing ran; what was due in it runs next. */
  skip(ms: number): void;
}

interface Timer {
  at: number;
  run: () => unknown;
}

export function createVirtualTime(): VirtualTime {
  let now = 0;
  const timers = new Set<Timer>();

  /** Of two at the same time the older one. */
  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };
  const runUntil = async (end: number, isDone: () => boolean): Promise<void> => {
    await settled();
    for (;;) {
      if (isDone()) return;
      const timer = next();
      if (timer === undefined || timer.at > end) break;
      timers.delete(timer);
      now = Math.max(now, timer.at);
      await timer.run();
      await settled();
    }
    now = Math.max(now, end);
  };

  return {
    now: () => now,
    after: (ms, run) => {
      const timer = { at: now + Math.max(0, ms), run };
      timers.add(timer);
      return timer;
    },
    cancel: (timer) => void timers.delete(timer as Timer),
    pass: (ms) => runUntil(now + ms, () => false),
    passUntil: async (isDone, limitMs) => {
      await runUntil(now + limitMs, isDone);
      return isDone();
    },
    skip: (ms) => {
      now += ms;
    },
  };
}

/** Every promise that waits for nothing but other promises has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
