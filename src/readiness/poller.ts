/** Checks the stores and the clock in the background, so that a change is known before anyone asks. (Interface 10) */
import type { Readiness } from './readiness.js';

/** Pause between two checks, while all is well and otherwise: milliseconds. */
const EVERY_MS = 5_000;
const EVERY_MS_FAILING = 1_000;

export interface ReadinessPoller {
  /** Checks every few seconds from now on. */
  begin(): void;
  /** Checks soon, at the earliest a second after the last check. Called if a request was answered 503. */
  checkSoon(): void;
  /** Stops after the current check. */
  stop(): Promise<void>;
}

export function createReadinessPoller(readiness: Readiness): ReadinessPoller {
  let isOn = false;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> | undefined;
  let checkedMs = performance.now();

  const checkIn = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      checking ??= check().finally(() => {
        checking = undefined;
      });
    }, ms);
    timer.unref();
  };
  const check = async (): Promise<void> => {
    const isWell = Object.values(await readiness.check()).every((word) => word === 'ok');
    checkedMs = performance.now();
    if (isOn) checkIn(isWell ? EVERY_MS : EVERY_MS_FAILING);
  };
  const checkSoon = (): void => {
    if (isOn && checking === undefined) checkIn(Math.max(checkedMs + EVERY_MS_FAILING - performance.now(), 0));
  };
  return {
    begin: () => {
      isOn = true;
      checkIn(EVERY_MS);
    },
    checkSoon,
    stop: async () => {
      isOn = false;
      clearTimeout(timer);
      await checking;
    },
  };
}
