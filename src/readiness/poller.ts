/** Interface 10: the readiness poller looks at the stores and the clock in the background, so that a change is known before anybody asks. */
import type { Readiness } from './readiness.js';

/** How long from one look to the next while all is well, and while it is not: milliseconds. */
const EVERY_MS = 5_000;
const EVERY_MS_UNWELL = 1_000;

export interface ReadinessPoller {
  /** Looks every few seconds from now on. */
  begin(): void;
  /** Looks at once, though no sooner than a second after the last look: a request was answered 503. */
  lookSoon(): void;
  /** Stops after the look in hand. */
  stop(): Promise<void>;
}

export function createReadinessPoller(readiness: Readiness): ReadinessPoller {
  let isOn = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookedMs = performance.now();

  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      looking ??= look().finally(() => {
        looking = undefined;
      });
    }, ms);
    timer.unref();
  };
  const look = async (): Promise<void> => {
    const isWell = Object.values(await readiness.check()).every((word) => word === 'ok');
    lookedMs = performance.now();
    if (isOn) lookIn(isWell ? EVERY_MS : EVERY_MS_UNWELL);
  };
  const lookSoon = (): void => {
    if (isOn && looking === undefined) lookIn(Math.max(lookedMs + EVERY_MS_UNWELL - performance.now(), 0));
  };
  return {
    begin: () => {
      isOn = true;
      lookIn(EVERY_MS);
    },
    lookSoon,
    stop: async () => {
      isOn = false;
      clearTimeout(timer);
      await looking;
    },
  };
}
